import type { BatchMark, BatchRow, BatchState, BatchStatus } from '../../core/operation/batch.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import type { Colour, Paint } from '../program/screen.js';

/** Display names of the marks. */
export const WORDS: Record<BatchMark, string> = {
  waiting: 'waiting',
  asking: 'waiting for locks',
  running: 'running',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  canceled: 'canceled',
  superseded: 'superseded',
  undoing: 'rolling back',
  undone: 'rolled back',
  left: 'left',
};

const COLOURS: Partial<Record<BatchMark | BatchStatus, Colour>> = {
  done: 'green',
  failed: 'red',
  left: 'red',
  'rolled-back': 'red',
  running: 'cyan',
  undoing: 'yellow',
  waiting: 'yellow',
};

export const colourOf = (of: BatchMark | BatchStatus): Colour => COLOURS[of] ?? 'dim';

/** Renders `37 done, 20 running, 143 waiting`. */
export const countsOf = ({ marks }: Pick<BatchState, 'marks'>, paint: Paint): string =>
  Object.entries(countMarks(marks))
    .map(([mark, count]) => paint(colourOf(mark as BatchMark), `${count} ${WORDS[mark as BatchMark]}`))
    .join(', ');

/** Returns the number of operations that have ended, with any result. */
export const countOver = ({ marks, operations }: Pick<BatchState, 'marks' | 'operations'>): number => {
  const { waiting = 0, asking = 0, running = 0, undoing = 0 } = countMarks(marks);
  return operations - waiting - asking - running - undoing;
};

/** Renders `━━━━━━───────`. */
export function renderBar(state: Pick<BatchState, 'marks' | 'operations'>, width: number, paint: Paint): string {
  const full = Math.floor((countOver(state) / Math.max(1, state.operations)) * width);
  return paint('green', '━'.repeat(full)) + paint('dim', '─'.repeat(width - full));
}

/** Renders one line of the record. */
export const rowLine = ({ index, name, kind, verb, infra, mark, why }: BatchRow, paint: Paint): string[] => [
  String(index + 1),
  name,
  `${verb} ${kind}`,
  infra,
  paint(colourOf(mark), WORDS[mark]),
  why ?? '',
];
