import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../client/client.js';
import { EXIT, exitCodeOf } from '../../../core/exit-codes.js';
import type { BatchMark, BatchRow } from '../../../core/operation/batch.js';
import type { Session } from '../../program/session.js';
import { follow, watch } from '../follow.js';

const LOOK_EVERY_MS = 500;
/** How the operation of an infra ends that never began. */
const CODES: Partial<Record<BatchMark, number>> = { canceled: EXIT.canceled, superseded: EXIT.superseded };
const OVER: ReadonlySet<BatchMark> = new Set(['done', 'failed', 'skipped', 'canceled', 'superseded', 'undone', 'left']);

/** What became of an infra that was to get another value. */
export interface RotationOutcome {
  infra: string;
  /** Absent if it was never begun. */
  operation?: string;
  /** Exit code of its operation. */
  code: number;
  status?: string;
}

/**
 * Follows a batch that brings a secret to its infras: the operation of each infra in its order, as it is shown when it is
 * followed alone. Ends with the first that does not end well, that waits for a person who is not here, or with Ctrl-C; the
 * batch goes on by itself.
 *
 * @returns an entry for each infra that was followed, in their order; the last one has the exit code of the command
 */
export async function followRotation(session: Session, batch: string): Promise<RotationOutcome[]> {
  const reached: RotationOutcome[] = [];
  for (let index = 0; ; index++) {
    const row = await awaitBegin(session, await session.client(), batch, index);
    if (!row) return reached;
    const one = row.isLeft ? { infra: row.infra, code: EXIT.interrupted, status: 'queued' } : await followRow(session, row);
    reached.push(one);
    if (one.code !== EXIT.done) return reached;
  }
}

async function followRow(session: Session, { infra, mark, operation, why }: BatchRow): Promise<RotationOutcome> {
  if (operation === undefined) {
    if (!session.json) session.err.write(`${infra}: ${mark}${why === undefined ? '' : `: ${why}`}\n`);
    return { infra, code: CODES[mark] ?? EXIT.failed, status: mark };
  }
  session.begun({ operation });
  if (!session.json) return { infra, operation, code: await follow(session, operation, { started: Date.now() }) };
  const outcome = await watch(session, operation, { update: () => {}, end: () => {} });
  if (outcome.kind === 'ended') return { infra, operation, code: exitCodeOf(outcome.result), status: outcome.result.status };
  const code = outcome.kind === 'waiting' ? EXIT.waits : EXIT.interrupted;
  return { infra, operation, code, status: outcome.progress?.status ?? 'running' };
}

/**
 * The row of an operation once it has begun, or is over without. `isLeft` after Ctrl-C; undefined behind the last
 * operation. Says why it has to wait.
 */
async function awaitBegin(
  session: Session,
  client: Client,
  batch: string,
  index: number,
): Promise<(BatchRow & { isLeft?: true }) | undefined> {
  const leave = new AbortController();
  const release = session.onInterrupt(() => leave.abort());
  let said: string | undefined;
  try {
    for (;;) {
      const [row] = await client.batches.rows({ batch, from: index, limit: 1 });
      if (!row || row.operation !== undefined || OVER.has(row.mark)) return row;
      if (leave.signal.aborted) return { ...row, isLeft: true };
      if (row.mark === 'asking' && row.why !== undefined && row.why !== said && !session.json) {
        said = row.why;
        session.err.write(`${row.infra}: ${said}\n`);
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: leave.signal }).catch(() => {});
    }
  } finally {
    release();
  }
}
