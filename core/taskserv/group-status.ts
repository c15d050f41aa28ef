/** How a member of a group was seen. */
export interface MemberStatus {
  server: string;
  /** `expected`: it is not installed; `silent`: its host did not answer. */
  state: 'expected' | 'silent' | 'seen';
  serves?: true;
  leads?: true;
  /** What is wrong with it. */
  why?: string;
}

/** A group as one look at all its members saw it. */
export interface GroupStatus {
  name: string;
  /** Members that have to serve. */
  needed: number;
  members: MemberStatus[];
}

/** A group in one line: how many serve, which leads, and what is wrong with the others. */
export function groupText(taskserv: string, { name, needed, members }: GroupStatus): string {
  const serving = members.filter(({ serves }) => serves);
  const leader = members.find(({ leads }) => leads);
  const others = members.filter(({ serves }) => !serves).map(memberText);
  const counted = `${serving.length} of ${members.length} members serve, ${needed} needed`;
  return [`${taskserv} group ${name}: ${counted}${leader ? `, ${leader.server} leads` : ''}`, ...others].join('; ');
}

function memberText({ server, state, why }: MemberStatus): string {
  if (state === 'expected') return `${server} is not installed`;
  if (state === 'silent') return `${server} does not answer`;
  return `${server} does not serve${why ? ` (${why.replaceAll('\n', ' ')})` : ''}`;
}
