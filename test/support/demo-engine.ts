import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { contentOf, type DemoAccount, demoAccount, NOTHING } from './demo.js';
import { startTestEngine, type TestEngine } from './engine.js';
import { endAll, eventually, runWell } from './operations.js';

/**
 * Starts a separate engine and demo account for the tests of a block, and stops it after them.
 *
 * @param use stores both, and prepares shared state
 */
export function withDemoEngine(use: (engine: TestEngine, account: DemoAccount) => unknown, env: NodeJS.ProcessEnv = {}): void {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await startTestEngine(env);
    await use(engine, demoAccount(engine));
  });
  afterAll(() => engine?.stop());
}

/** Deletes the infra after each test as a user would, and expects that nothing is left. */
export function leavingNothing(infra: string, at: () => { engine: TestEngine; account: DemoAccount }): void {
  afterEach(async () => {
    const { engine, account } = at();
    await endAll(engine);
    await account.behave({});
    await runWell(engine, { infra, intent: { verb: 'delete' }, allowDestroy: true, approve: undefined });
    expect(contentOf(await account.read())).toEqual(NOTHING);
    await eventually(async () => expect(await (await engine.client()).infras.list({ workspace: 'default' })).toEqual([]));
  });
}
