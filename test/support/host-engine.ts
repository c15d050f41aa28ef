import { afterAll, beforeAll } from 'vitest';
import { startTestEngine, type TestEngine } from './engine.js';
import { sweep } from './hosts.js';
import { endAll } from './operations.js';

/**
 * Starts a separate engine for the tests of a block, with an infra on hosts of this machine. Afterwards stops it, and
 * removes the infra's remains in Docker.
 *
 * @param use stores it, and prepares shared state
 * @param more variables of the engine
 */
export function withHostEngine(infra: string, use: (engine: TestEngine) => unknown, more: NodeJS.ProcessEnv = {}): void {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await startTestEngine(more);
    await use(engine);
  });
  afterAll(async () => {
    if (!engine) return;
    await endAll(engine);
    await engine.stop();
    await sweep(infra);
  });
}
