import { setTimeout as sleep } from 'node:timers/promises';
import { differenceOf } from '../../core/encoding/difference.js';
import type { Progress } from '../../core/operation/operation.js';
import type { Engine } from '../engine.js';
import type { OperationEvent } from '../schemas/operation.js';
import { progressReader, resultOf } from './state.js';

/** An operation that ends sooner is never asked how it goes, in milliseconds. */
const FIRST_LOOK_MS = 700;
/** Between two looks, in milliseconds; as long as a look took where that is longer. */
const LOOK_EVERY_MS = 400;

/** What becomes of an operation, until it ends or waits for a person. Adds nothing to its history. */
export async function* eventsOf(
  engine: Engine,
  operation: string,
  { signal }: { signal?: AbortSignal },
): AsyncGenerator<OperationEvent> {
  let ended = false;
  const end = resultOf(engine, operation).finally(() => {
    ended = true;
  });
  end.catch(() => {});
  const look = progressReader(engine, operation);
  let last: Progress | undefined;
  await Promise.race([end.catch(() => {}), sleep(FIRST_LOOK_MS)]);
  while (!ended && !signal?.aborted) {
    const began = performance.now();
    const progress = await look();
    const took = performance.now() - began;
    if (differenceOf(last, progress)) yield { type: 'progress', progress };
    last = progress;
    if (progress.status === 'waiting') {
      yield { type: 'waiting', progress };
      return;
    }
    await Promise.race([end.catch(() => {}), sleep(Math.max(LOOK_EVERY_MS, took))]);
  }
  if (!signal?.aborted) yield { type: 'end', result: await end };
}
