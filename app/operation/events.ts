import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine.js';
import type { OperationEvent } from '../schemas/operation.js';
import { progressOf, resultOf } from './state.js';

/** An operation that ends sooner is never asked how it goes, in milliseconds. */
const FIRST_LOOK_MS = 700;
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
  let last = '';
  await Promise.race([end.catch(() => {}), sleep(FIRST_LOOK_MS)]);
  while (!ended && !signal?.aborted) {
    const progress = await progressOf(engine, operation);
    const text = JSON.stringify(progress);
    if (text !== last) yield { type: 'progress', progress };
    last = text;
    if (progress.status === 'waiting') {
      yield { type: 'waiting', progress };
      return;
    }
    await Promise.race([end.catch(() => {}), sleep(LOOK_EVERY_MS)]);
  }
  if (!signal?.aborted) yield { type: 'end', result: await end };
}
