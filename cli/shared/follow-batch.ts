import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, exitCodeOfBatch } from '../../core/exit-codes.js';
import type { BatchMark, BatchState } from '../../core/operation/batch.js';
import { countMarks } from '../../core/operation/batch-rows.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { colourOf, countsOf, rowLine } from '../render/batch.js';
import { type BatchView, LiveBatchView, PlainBatchView } from '../render/batch-view.js';
import { writeDocument } from '../render/document.js';
import { renderTable } from '../render/inventory.js';
import { describeWebUi } from './web-ui.js';

const LOOK_EVERY_MS = 500;
const ENDED = ['done', 'failed', 'rolled-back', 'canceled', 'superseded'];
/** Maximum number of failures at the end; `batch status` shows all. */
const SHOWN = 20;

const viewFor = (session: Session): BatchView => {
  if (session.json) return session.verbose ? new PlainBatchView(session.err) : { update: () => {}, end: () => {} };
  return session.out.live ? new LiveBatchView(session.out) : new PlainBatchView(session.out);
};

/**
 * Follows a batch to its end, until it waits for a person, or Ctrl-C.
 *
 * @returns the exit code
 */
export async function followBatch(session: Session, id: string): Promise<number> {
  const client = await session.client();
  const view = viewFor(session);
  let left = false;
  const release = session.onInterrupt(() => {
    left = true;
  });
  let state = await client.batches.state({ batch: id });
  try {
    for (; !left; state = await client.batches.state({ batch: id })) {
      const busy = ['running', 'undoing', 'failed', 'left'] satisfies BatchMark[];
      view.update(state, session.json && !session.verbose ? [] : await client.batches.rows({ batch: id, limit: 40, marks: busy }));
      if (state.status === 'waiting' || (ENDED.includes(state.status) && loose(state) === 0)) break;
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    release();
    view.end();
  }
  if (left) {
    session.err.write(`\nThe batch goes on. Follow it: provisioning batch follow ${id}\n`);
    if (session.json) writeDocument(session, state);
    return EXIT.interrupted;
  }
  return showBatch(session, state);
}

/** Shows the state of a batch with its failures and the next steps. */
export async function showBatch(session: Session, state: BatchState): Promise<number> {
  const paint = paintFor(session.out);
  if (session.json) {
    writeDocument(session, state);
    return exitCodeOfBatch(state);
  }
  const { batch, name, status, cut, operations, waiting, parallel, stages, control } = state;
  const bad = await (await session.client()).batches.rows({
    batch,
    limit: SHOWN,
    marks: ['failed', 'left', 'skipped', 'superseded'],
  });
  session.out.write(`${paint('bold', name)} ${paint(colourOf(status), status)}: ${countsOf(state, paint)}\n`);
  session.out.write(`${operations} operations in ${stages.length} stages, at most ${parallel} at once  ${paint('dim', batch)}\n`);
  for (const { at, actor, did, step, why } of control) {
    session.out.write(`${at.replace(/\.\d+Z$/, 'Z')} ${actor}: ${did}${step ? ` ${step}` : ''}${why ? `: ${why}` : ''}\n`);
  }
  if (bad.length > 0)
    session.out.write(
      renderTable(
        HEAD,
        bad.map((row) => rowLine(row, paint)),
        '',
        paint,
      ),
    );
  if (waiting) session.out.write(`${paint('yellow', 'waiting:')} ${waiting}\n${hintOf(state)}`);
  if (cut) session.out.write(`${paint('red', 'cut short:')} ${cut}\n${hintOfCut(state)}`);
  const ui = describeWebUi(session.home, batch);
  if (ui) session.out.write(`${paint('dim', 'Web UI:')} ${ui}\n`);
  return exitCodeOfBatch(state);
}

export const HEAD = ['#', 'NAME', 'DOES', 'INFRA', 'STATE', 'WHY'];

/** Returns the number of operations that continue without their batch. */
const loose = ({ cut, marks }: BatchState): number => {
  const { running = 0, undoing = 0 } = cut ? countMarks(marks) : {};
  return running + undoing;
};

const hintOfCut = (state: BatchState): string =>
  [
    ...(loose(state) > 0 ? [`${loose(state)} of its operations go on: provisioning batch follow|cancel ${state.batch}`] : []),
    `roll back what it did: provisioning batch rollback ${state.batch}`,
    '',
  ].join('\n');

const hintOf = ({ batch, undecided, unsigned }: BatchState): string =>
  unsigned
    ? `provisioning batch resume|keep|rollback|cancel ${batch}\n`
    : undecided.length > 0
      ? `provisioning batch retry|skip|keep|rollback ${batch}\n`
      : `provisioning batch approve ${batch}\n`;
