import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../client/client.js';
import { EXIT, exitCodeOf } from '../../../core/exit-codes.js';
import type { BatchMark, BatchRow } from '../../../core/operation/batch.js';
import type { Session } from '../../program/session.js';
import { follow, watch } from '../follow.js';

const LOOK_EVERY_MS = 500;
/** Exit codes of an infra whose operation never started. */
const CODES: Partial<Record<BatchMark, number>> = { canceled: EXIT.canceled, superseded: EXIT.superseded };
const OVER: ReadonlySet<BatchMark> = new Set(['done', 'failed', 'skipped', 'canceled', 'superseded', 'undone', 'left']);

/** Result for an infra that should get a new value. */
export interface RotationOutcome {
  infra: string;
  /** Absent if it never started. */
  operation?: string;
  /** Exit code of its operation. */
  code: number;
  status?: string;
}

/**
 * Follows a batch that brings a secret to its infras. Each infra's operation is shown in order, as when it is followed
 * individually. Ends with the first operation that fails or waits for a person in a session that is not interactive,
 * or with Ctrl-C. The batch continues.
 *
 * @returns an entry for each followed infra, in order; the last one has the exit code of the command
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
 * Returns the row of an operation once it has started or ended without starting. `isLeft` after Ctrl-C; undefined
 * after the last operation. Reports why the operation waits.
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
