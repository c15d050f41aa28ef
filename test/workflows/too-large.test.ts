import { expect, test } from 'vitest';
import { exitCodeOf } from '../../core/exit-codes.js';
import { demoDefinition } from '../support/definition.js';
import { contentOf, type DemoAccount, NOTHING } from '../support/demo.js';
import { withDemoEngine } from '../support/demo-engine.js';
import type { TestEngine } from '../support/engine.js';
import { run } from '../support/operations.js';

let engine: TestEngine;
let account: DemoAccount;
withDemoEngine((...started) => {
  [engine, account] = started;
});

test('an operation whose history would not fit is refused with the figure, before anything is made', async () => {
  const taskservs = ['users', 'firewall', 'node-exporter', 'nginx', 'redis', 'postgres'];
  const definition = demoDefinition('large', { servers: [{ name: 'web', count: 500 }], taskservs });
  const refused = await run(engine, { infra: 'large', definition });
  expect([refused.error?.code, exitCodeOf(refused)]).toEqual(['too-large', 2]);
  expect(refused.error?.why).toMatch(/500 machines and \d{4} services, .* about \d{5} events of history; one operation has 46000/);
  expect(contentOf(await account.read())).toEqual(NOTHING);
});
