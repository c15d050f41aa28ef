import { sharedBy } from './choose.js';
import { type Met, wrongIn } from './meet.js';

/** Renders as Markdown: the remaining steps of second runs by pair, the faults, and the shared resources. */
export function renderTable(all: readonly Met[], touches: ReadonlyMap<string, ReadonlySet<string>>): string {
  const names = [...new Set(all.flatMap(({ meeting }) => meeting))].sort();
  const cell = (a: string, b: string) => {
    const met = all.find(({ meeting }) => meeting.includes(a) && meeting.includes(b) && (a !== b || meeting.length === 1));
    return met ? String(met.stages.reduce((sum, { left }) => sum + left.length, 0)) : '';
  };
  const wrong = all.flatMap(wrongIn);
  const shared = all.flatMap(({ meeting: [a, b] }) => {
    const things = b === undefined ? [] : sharedBy(a, b, touches);
    return things.length > 0 ? [`| ${a} + ${b} | ${inWords(things)} |`] : [];
  });
  return [
    `| | ${names.join(' | ')} |`,
    `| --- |${names.map(() => ' ---: |').join('')}`,
    ...names.map((a, row) => `| ${a} | ${names.map((b, column) => (column <= row ? cell(a, b) : '')).join(' | ')} |`),
    '',
    wrong.length === 0 ? 'Nothing was wrong.' : wrong.map((line) => `- ${line}`).join('\n'),
    ...(shared.length > 0 ? ['', '| pair | what both bring to a host |', '| --- | --- |', ...shared.sort()] : []),
  ].join('\n');
}

/** Returns up to three names, and the number of further ones. */
function inWords(things: readonly string[]): string {
  const sorted = [...things].sort();
  return sorted.length <= 3 ? sorted.join(', ') : `${sorted.slice(0, 3).join(', ')} and ${sorted.length - 3} more`;
}
