import { isIdle } from './attacks.js';
import { OWNER, type Result } from './play.js';

export interface Column {
  title: string;
  former?: boolean;
  found: Map<string, Result>;
}

/** Harmless results if messages are sealed. */
const HELD: readonly Result[] = ['refused', 'not let in', 'sealed answer'];

/** Lists unexpected results. */
export function wrongIn({ title, former, found }: Column): string[] {
  const lines: string[] = [];
  for (const [name, result] of found) {
    const good =
      name === OWNER
        ? result === 'works'
        : former
          ? result === 'THROUGH' || (result === 'taken' && isIdle(name))
          : HELD.includes(result);
    if (!good) lines.push(`${title}: ${name}: ${result}`);
  }
  return lines;
}

/** Prints a table with the number of results by kind and way. */
export function summary(columns: readonly Column[]): string[] {
  const names = [...new Set(columns.flatMap(({ found }) => [...found.keys()]))];
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const [, kind = name, way] = /^(\w+) [^:]+: (.*)$/.exec(name) ?? [];
    const group = way ? `${kind}, ${way}` : name;
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const rows = [...groups].map(([group, members]) => {
    const cells = columns.map(({ found }) => {
      const counts = new Map<string, number>();
      for (const name of members) {
        const result = found.get(name);
        if (result) counts.set(result, (counts.get(result) ?? 0) + 1);
      }
      return [...counts].map(([result, count]) => (result === 'works' ? result : `${count} ${result}`)).join(', ');
    });
    return `| ${[group, ...cells].join(' | ')} |`;
  });
  return [`| attacks | ${columns.map(({ title }) => title).join(' | ')} |`, `| --- |${' --- |'.repeat(columns.length)}`, ...rows];
}
