import type { Fault } from './fault.js';
import type { Finding, FindingKind } from './findings.js';
import type { RoundResult } from './round-result.js';

/** One line of the table: all rounds of a fault. */
export interface Row {
  fault: string;
  rounds: number;
  well: number;
  waits: number;
  orphaned: number;
  doubled: number;
  locks: number;
  silent: number;
  wrong: number;
  /** Seconds until the work resumed: from the fault, and from the start of the restart. */
  fromFault?: { median: number; max: number };
  fromRestart?: { median: number; max: number };
}

const spread = (values: (number | undefined)[]) => {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  return middle === undefined ? undefined : { median: middle, max: sorted.at(-1) as number };
};

/** Summarizes the rounds of each fault. */
export function rowsOf(faults: Pick<Fault, 'name'>[], results: RoundResult[]): Row[] {
  return faults.flatMap(({ name }) => {
    const rounds = results.filter(({ fault }) => fault === name);
    if (rounds.length === 0) return [];
    const found: Finding[] = rounds.flatMap(({ findings }) => findings);
    const count = (kind: FindingKind) => found.filter((one) => one.kind === kind).length;
    return {
      fault: name,
      rounds: rounds.length,
      well: rounds.filter(({ ended }) => ended === 'well').length,
      waits: rounds.filter(({ ended }) => ended === 'waits').length,
      orphaned: count('orphaned'),
      doubled: count('doubled'),
      locks: count('lock'),
      silent: count('silent'),
      wrong: count('wrong'),
      fromFault: spread(rounds.map(({ secondsFromFault }) => secondsFromFault)),
      fromRestart: spread(rounds.map(({ secondsFromRestart }) => secondsFromRestart)),
    };
  });
}

const HEAD = [
  'fault',
  'rounds',
  'ended well',
  'waits, says why',
  'orphaned',
  'doubled',
  'locks left',
  'silent waits',
  'else wrong',
  'goes on after: median, max',
  'after the restart',
];

/** Renders the table as Markdown that is also readable in a terminal. */
export function renderTable(rows: Row[]): string {
  const seconds = (of: Row['fromFault']) => (of ? `${of.median.toFixed(1)} s, ${of.max.toFixed(1)} s` : '–');
  const cells = rows.map((row) => [
    row.fault,
    ...[row.rounds, row.well, row.waits, row.orphaned, row.doubled, row.locks, row.silent, row.wrong].map(String),
    seconds(row.fromFault),
    seconds(row.fromRestart),
  ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const pad = (text: string, column: number) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0));
  const line = (texts: string[]) => `| ${texts.map(pad).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(HEAD), rule, ...cells.map(line)].join('\n');
}
