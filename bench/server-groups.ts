/** What an entry of a definition may have at most. */
const MOST = 500;

/** Entries of a definition that have so many servers together. */
export const groupsOf = (servers: number): { name: string; count: number }[] =>
  Array.from({ length: Math.ceil(servers / MOST) }, (_, index) => ({
    name: `s${index}`,
    count: Math.min(MOST, servers - index * MOST),
  }));
