import type { Phase } from './acts/scale.js';
import type { Comparison } from './session.js';

/** One line: whether both agree, and what they are. */
export const lineOf = ({ command, said, truth, agree }: Comparison): string =>
  `${agree ? '✓' : '✗'} ${command} | said: ${said} | truth: ${truth}`;

/** What a program printed, as code: each item of a list is a line of its own. */
const cell = (text: string) =>
  text
    .replaceAll('\n', ' ')
    .split('; ')
    .map((item) => `\`${item.replaceAll('`', "'").replaceAll('|', '\\|')}\``)
    .join('<br>');

const sum = (phases: readonly Phase[], of: 'requests' | 'failed' | 'wrong') =>
  phases.reduce((total, phase) => total + phase[of], 0);

/** Neighbours that said the same as one, with all of their commands. */
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

/** All that was compared, as Markdown, and what became of the requests. */
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
