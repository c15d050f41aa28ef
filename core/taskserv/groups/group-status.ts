/** How a member of a group was seen. */
export interface MemberStatus {
  server: string;
  /** `expected`: it is not installed; `silent`: its host did not answer. */
  state: 'expected' | 'silent' | 'seen';
  serves?: true;
  leads?: true;
  /** What is wrong with it. */
  why?: string;
  /** Seconds by which its clock is ahead of the others', or behind (negative), if that is more than 2. */
  clock?: number;
}

/** A group as one look at all its members saw it. */
export interface GroupStatus {
  name: string;
  /** Members that have to serve. */
  needed: number;
  members: MemberStatus[];
}

/** How many members serve, how many have to, and which leads: `2 of 3 members serve, 2 needed, a leads`. */
export function countMembers({ needed, members }: Pick<GroupStatus, 'needed' | 'members'>): string {
  const serving = members.filter(({ serves }) => serves);
  const leader = members.find(({ leads }) => leads);
  const counted = `${serving.length} of ${members.length} members serve, ${needed} needed`;
  return leader ? `${counted}, ${leader.server} leads` : counted;
}

/** A group in one line: how many serve, which leads, and what is wrong with members. */
export function groupText(taskserv: string, { name, needed, members }: GroupStatus): string {
  const others = members.filter(({ serves }) => !serves).map(memberText);
  return [`${taskserv} group ${name}: ${countMembers({ needed, members })}`, ...others, ...members.flatMap(clockText)].join('; ');
}

const clockText = ({ server, clock = 0 }: MemberStatus): string[] =>
  clock === 0 ? [] : [`the clock of ${server} is ${Math.abs(clock)} s ${clock > 0 ? 'ahead of' : 'behind'} the others`];

function memberText({ server, state, why }: MemberStatus): string {
  if (state === 'expected') return `${server} is not installed`;
  if (state === 'silent') return `${server} does not answer`;
  return `${server} does not serve${why ? ` (${why.replaceAll('\n', ' ')})` : ''}`;
}
