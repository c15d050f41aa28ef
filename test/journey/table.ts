import type { Phase } from './acts/scale.js';
import type { Comparison } from './session.js';

/** Formats one line: whether the answer and the actual state agree, and both. */
export const lineOf = ({ command, said, truth, agree }: Comparison): string =>
  `${agree ? '✓' : '✗'} ${command} | said: ${said} | truth: ${truth}`;

/** Formats the output of a program as code. Each list item is on its own line. */
const cell = (text: string) =>
  text
    .replaceAll('\n', ' ')
    .split('; ')
    .map((item) => `\`${item.replaceAll('`', "'").replaceAll('|', '\\|')}\``)
    .join('<br>');

const sum = (phases: readonly Phase[], of: 'requests' | 'failed' | 'wrong') =>
  phases.reduce((total, phase) => total + phase[of], 0);

/** Merges adjacent equal answers into one row with all their commands. */
function merged(all: readonly Comparison[]): (Omit<Comparison, 'command'> & { commands: string[] })[] {
  const rows: ReturnType<typeof merged> = [];
  for (const { command, ...row } of all) {
    const last = rows.at(-1);
    const isSame = last?.act === row.act && last.said === row.said && last.truth === row.truth && last.agree === row.agree;
    if (isSame) last.commands.push(command);
    else rows.push({ ...row, commands: [command] });
  }
  return rows;
}

/** Renders all comparisons and the results of the requests as Markdown. */
export function renderTable(all: readonly Comparison[], phases: readonly Phase[]): string {
  const rows = merged(all).map(({ act, commands, said, truth, agree }, index, list) => {
    const before = list[index - 1];
    const isNew = before?.act !== act;
    const shown = isNew || before?.commands.join() !== commands.join() ? commands.map((one) => `\`${one}\``).join(', ') : '';
    return `| ${isNew ? act : ''} | ${shown} | ${cell(said)} | ${cell(truth)} | ${agree ? '✓' : '✗'} |`;
  });
  return [
    '| act | command | said | truth | |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `${all.filter(({ agree }) => agree).length} of ${all.length} agree.`,
    '',
    '| under load | requests | failed | wrong answers |',
    '| --- | ---: | ---: | ---: |',
    ...phases.map(({ what, requests, failed, wrong }) => `| ${what} | ${requests} | ${failed} | ${wrong} |`),
    `| together | ${sum(phases, 'requests')} | ${sum(phases, 'failed')} | ${sum(phases, 'wrong')} |`,
  ].join('\n');
}
