import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { Home } from '../../home/home.js';
import { makePair } from '../../stores/key-pair.js';
import { openSecrets } from '../../stores/open-secrets.js';
import { openStores } from '../../stores/open-stores.js';
import { readRecord } from '../../workers/engine/record.js';
import { up } from '../../workers/engine/up.js';
import { filesWith, newCanary } from '../support/canary.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { runWell } from '../support/operations.js';

const archive = resolve(import.meta.dirname, '../former-home/home.tar.gz');
let engine: TestEngine | undefined;
afterAll(() => engine?.stop());

/** Secrets, keys and tokens, by the files in which a former version stores them in plain text. */
const canary = newCanary();
const pair = makePair('a former host');
const PLAIN: Record<string, string> = {
  'secrets/shared': canary,
  'secrets/hetzner%2Ftoken': `token-${canary}`,
  'secrets/generated%2Fdefault%2Fformer%2Fdb.password': `made-${canary}`,
  'secrets/.workspaces/default/wide': `wide-${canary}`,
  'secrets/.workspaces/default/.infras/former/narrow': `narrow-${canary}`,
  'keys/default/kept/id_ed25519': pair.private,
  'keys/default/kept/hosts/web-1': pair.private,
  'engine/certificates/kept.pem': `-----BEGIN PRIVATE KEY-----\n${canary}\n`,
};

/** Unpacks the home of a former version to the place of the engine's home. */
const unpack = async ({ root }: Home) => {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-xzf', archive, '-C', root]);
  for (const [name, text] of Object.entries(PLAIN)) {
    await mkdir(join(root, dirname(name)), { recursive: true, mode: 0o700 });
    await writeFile(join(root, name), text, { mode: 0o600 });
  }
};

/** Returns the middle of a private key: the first lines are the same in all keys. */
const body = (key: string) => key.split('\n').slice(2, -3).join('\n').slice(0, 120);

/** Returns the plain texts that occur in the files of a home. */
async function plainIn({ root, encryption }: Home): Promise<string[]> {
  const { keys } = JSON.parse(await readFile(join(encryption, 'keys.json'), 'utf8')) as { keys: { id: string; key?: string }[] };
  const texts = [canary, body(pair.private), ...formerKeys];
  const found = await Promise.all(texts.map((text) => filesWith(text, root)));
  return [...found.flat(), ...keys.flatMap(({ id, key }) => (key ? [`keys.json: ${id}`] : []))];
}
let formerKeys: string[] = [];

test('a home of a former version: up names what still runs, and else moves every infra over', async () => {
  const refusals: unknown[] = [];
  const before = async (home: Home, env: NodeJS.ProcessEnv) => {
    await unpack(home);
    const { keys } = JSON.parse(await readFile(join(home.encryption, 'keys.json'), 'utf8')) as { keys: { key: string }[] };
    formerKeys = keys.map(({ key }) => key);
    expect((await plainIn(home)).length).toBeGreaterThan(Object.keys(PLAIN).length);
    const { secrets } = await openSecrets(home, env);
    // Without `up`, plain secrets can be read, and new ones stay readable for the worker of that version.
    expect(await secrets.get('shared')).toBe(canary);
    await secrets.set('set-before', canary);
    expect(await readFile(join(home.secrets, 'set-before'), 'utf8')).toBe(canary);
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
  // The home still owns its servers. This version may configure services differently.
  const definition = demoDefinition('former', { servers: [{ name: 'web', count: 2 }], taskservs: ['redis'] });
  const done = await runWell(engine, { infra: 'former', definition, intent: { verb: 'ensure' } });
  expect(done.plan.filter(({ title }) => /^(Create|Replace|Delete|Install) /.test(title))).toEqual([]);
  expect((await client.infras.inventory({ workspace: 'default', infra: 'former' }))?.uuid).toBe(inventory?.uuid);
});

test('nothing that is private is plain below it afterwards, and all of it is read', async () => {
  const { home, env } = engine as TestEngine;
  expect(await plainIn(home)).toEqual([]);
  const { secrets, keys, close } = await openStores(home, env);
  const infra = { workspace: 'default', infra: 'former' };
  expect([
    await secrets.get('shared'),
    await secrets.get('set-before'),
    await secrets.get('hetzner/token'),
    await secrets.get('generated/default/former/db.password'),
    await secrets.within({ workspace: 'default' }).get('wide'),
    await secrets.within(infra).get('narrow'),
  ]).toEqual([canary, canary, `token-${canary}`, `made-${canary}`, `wide-${canary}`, `narrow-${canary}`]);
  const kept = { workspace: 'default', infra: 'kept' };
  expect([(await keys.infraKey(kept)).private, (await keys.hostKey(kept, 'web-1')).private]).toEqual([pair.private, pair.private]);
  await close();
});

test('without the wrapping key, which is not in it, a copy of the home opens nothing', async () => {
  const { home, env } = engine as TestEngine;
  // A new process, because this one has unwrapped the keys.
  const code =
    'import(process.argv[1]).then(async ({ openSecrets }) => console.log(await (await openSecrets(JSON.parse(process.argv[2]), process.env)).secrets.get("shared")))';
  const module = resolve(import.meta.dirname, '../../stores/open-secrets.ts');
  const ask = (more: NodeJS.ProcessEnv) =>
    promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', code, module, JSON.stringify(home)],
      {
        env: { ...env, ...more },
      },
    );
  expect((await ask({})).stdout).toBe(`${canary}\n`);
  await expect(ask({ XDG_STATE_HOME: join(home.root, 'elsewhere') })).rejects.toThrow('is not on this machine');
});

/** Terminates an operation through Temporal. */
async function terminate(home: Home, env: NodeJS.ProcessEnv, operation: string): Promise<void> {
  const { useService } = await import('../../workers/engine/binary/versions-of-home.js');
  const record = await readRecord(home);
  if (!record) throw new Error('no engine runs');
  await useService(record, env, ({ workflowService }) =>
    workflowService.terminateWorkflowExecution({ namespace: record.namespace, workflowExecution: { workflowId: operation } }),
  );
}
