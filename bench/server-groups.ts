/** Maximum count of an entry in a definition. */
const MOST = 500;

/** Returns entries of a definition with this number of servers in total. */
export const groupsOf = (servers: number): { name: string; count: number }[] =>
  Array.from({ length: Math.ceil(servers / MOST) }, (_, index) => ({
    name: `s${index}`,
    count: Math.min(MOST, servers - index * MOST),
  }));
