import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { Home } from '../../home/home.js';
import { readRecord } from '../../workers/engine/record.js';
import { up } from '../../workers/engine/up.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { runWell } from '../support/operations.js';

const archive = resolve(import.meta.dirname, '../former-home/home.tar.gz');
let engine: TestEngine | undefined;
afterAll(() => engine?.stop());

/** Puts the home of a former version where the engine's is to be. */
const unpack = async ({ root }: Home) => {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-xzf', archive, '-C', root]);
};

test('a home of a former version: up names what still runs, and else moves every infra over', async () => {
  const refusals: unknown[] = [];
  const before = async (home: Home, env: NodeJS.ProcessEnv) => {
    await unpack(home);
    const refusal = await up(home, { env, supervise: false }, () => {}).catch((error) => error);
    refusals.push(refusal.details);
    const [operation] = /cluster-ensure-former-\w+/.exec(refusal.message) ?? [];
    await terminate(home, env, operation ?? '');
  };
  engine = await startTestEngine({}, { before });
  expect(refusals).toMatchObject([{ code: 'former-operations', on: expect.stringMatching(/^cluster-ensure-former-\w+$/) }]);

  const client = await engine.client();
  const inventory = await client.infras.inventory({ workspace: 'default', infra: 'former' });
  expect(inventory?.uuid).toBe('bfd3a17d-506e-4824-ba68-c9062b28450d');
  expect(Object.values(inventory?.servers ?? {}).map(({ name, services }) => [name, Object.keys(services)])).toEqual([
    ['web-1', ['redis']],
    ['web-2', ['redis']],
  ]);
  // The servers that it made are still its own; this version may configure services otherwise.
  const definition = demoDefinition('former', { servers: [{ name: 'web', count: 2 }], taskservs: ['redis'] });
  const done = await runWell(engine, { infra: 'former', definition, intent: { verb: 'ensure' } });
  expect(done.plan.filter(({ title }) => /^(Create|Replace|Delete|Install) /.test(title))).toEqual([]);
  expect((await client.infras.inventory({ workspace: 'default', infra: 'former' }))?.uuid).toBe(inventory?.uuid);
});

/** Ends an operation by Temporal's own means. */
async function terminate(home: Home, env: NodeJS.ProcessEnv, operation: string): Promise<void> {
  const { withService } = await import('../../workers/engine/binary/versions-of-home.js');
  const record = await readRecord(home);
  if (!record) throw new Error('no engine runs');
  await withService(record, env, ({ workflowService }) =>
    workflowService.terminateWorkflowExecution({ namespace: record.namespace, workflowExecution: { workflowId: operation } }),
  );
}
