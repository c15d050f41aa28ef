import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { contentOf, type DemoAccount, demoAccount, NOTHING } from './demo.js';
import { startTestEngine, type TestEngine } from './engine.js';
import { endAll, eventually, runWell } from './operations.js';

/**
 * An engine of their own for the tests of a block, and the demo account it works on; it ends with them.
 *
 * @param use keeps both, and prepares what all of them need
 */
export function withDemoEngine(use: (engine: TestEngine, account: DemoAccount) => unknown, env: NodeJS.ProcessEnv = {}): void {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await startTestEngine(env);
    await use(engine, demoAccount(engine));
  });
  afterAll(() => engine?.stop());
}

/** After each test the infra is deleted as a user would, and then nothing at all is left. */
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
