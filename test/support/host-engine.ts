import { afterAll, beforeAll } from 'vitest';
import { startTestEngine, type TestEngine } from './engine.js';
import { sweep } from './hosts.js';
import { endAll } from './operations.js';

/**
 * An engine of their own for the tests of a block, whose infra is on hosts of
 * this machine; it ends with them, and whatever Docker still has of the infra goes.
 *
 * @param use keeps it, and prepares what all of them need
 */
export function withHostEngine(infra: string, use: (engine: TestEngine) => unknown): void {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await startTestEngine();
    await use(engine);
  });
  afterAll(async () => {
    if (!engine) return;
    await endAll(engine);
    await engine.stop();
    await sweep(infra);
  });
}
