import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Dispatcher } from '../../app/dispatcher.js';
import { connect } from '../../client/connect.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { homeOf } from '../../home/home.js';
import { openSecrets } from '../../stores/open-secrets.js';
import type { SecretStore } from '../../stores/secrets.js';
import { serveGateway } from '../../workers/gateway.js';
import { runLine } from '../fake-run.js';
import { fakeSecrets } from '../fake-secrets.js';
import { type FakeOptions, fakeClient, inventoryNamed, progressOf, resultOf } from '../fake-session.js';

/** Store that cannot be opened: every attempt fails. */
const CLOSED = { PROVISIONING_STORE: 'postgres://nobody@127.0.0.1:1/none', PROVISIONING_ENCRYPTION_KEY: 'no key' };

/** Home of the worker (`there`) and home of the caller (`here`). */
let [there, here, files] = ['', '', ''];
let store: SecretStore;
let closed: () => Promise<void>;
beforeEach(async () => {
  const place = (name: string) => mkdtemp(join(tmpdir(), name));
  [there, here, files] = await Promise.all([place('worker-'), place('asker-'), place('files-')]);
  ({ secrets: store, close: closed } = await openSecrets(homeOf({ PROVISIONING_HOME: there }), {}));
});
afterEach(async () => {
  await closed();
  for (const place of [there, here, files]) await rm(place, { recursive: true, force: true });
});

const homeHere = () => homeOf({ PROVISIONING_HOME: here });

/**
 * Starts a worker on the socket of the caller's home. Secrets are in the worker's own home; its operations end
 * immediately.
 */
async function startWorker(inventory: Inventory) {
  const asked: string[] = [];
  const { client, submitted } = fakeClient(
    (request: OperationRequest) =>
      [
        { type: 'progress', progress: progressOf({ ...resultOf(request), status: 'running' }) },
        { type: 'end', result: resultOf(request, { infra: request.infra }) },
      ] as never,
    inventory,
  );
  const answers = {
    ...client,
    'orphans.list': async () => ({ items: [], unasked: [] }),
    'providers.zones': async () => ({ zones: [] }),
  } as unknown as Record<string, (input: unknown) => unknown>;
  const own = { home: homeOf({ PROVISIONING_HOME: there }), env: { PROVISIONING_HOME: there }, actor: 'eve@desk' };
  const answer = (name: string, input: unknown) => {
    asked.push(name);
    const fake = answers[name];
    if (fake) return fake(input);
    if (name.startsWith('secrets.')) return fakeSecrets(own, {}, name, input);
    throw new Error(`the test has no answer to ${name}`);
  };
  const methods: Dispatcher = {
    kindOf: (name) => (String(name).endsWith('.follow') ? 'stream' : 'call'),
    call: async (name, input) => answer(name, input),
    stream: (name, input) => answer(name, input) as AsyncIterable<unknown>,
  };
  return { asked, submitted, ...(await serveGateway(homeHere().socket, methods)) };
}

/** Runs a command line in the caller's home, through the process that answers there. */
async function run(line: string, { env = {}, ...options }: FakeOptions = {}) {
  const all = { PROVISIONING_HOME: here, ...env };
  const client = connect({ home: homeHere(), env: all });
  client.catch(() => {});
  const done = await runLine(line, { root: here, env: all, connect: () => client, ...options });
  await client.then(
    (one) => one.close(),
    () => {},
  );
  return done;
}

const definition = (name: string, secret: string) => `infra: ${name}
provider: demo
servers: [{ name: s, plan: small }]
outputs: { url: 'http://{{ servers.s.address }}' }
taskservs:
  - { name: redis, on: { server: s }, config: { password: ${secret} } }
`;

async function writeDefinition(secret = '{ secret: redis-password }'): Promise<string> {
  const file = join(files, 'shop.yaml');
  await writeFile(file, definition('shop', secret));
  return file;
}

test('commands open no store: they work where the files, the password and the key are out of reach', async () => {
  // These can be neither created as folders nor read as files.
  for (const name of ['secrets', 'encryption', 'keys']) await writeFile(join(here, name), 'no folder', { mode: 0o000 });
  await store.within({ workspace: 'default' }).set('redis-password', 'hunter2');
  const [file, generating] = [await writeDefinition(), join(files, 'made.yaml')];
  await writeFile(generating, definition('made', '{ generate: password, length: 20 }'));
  const worker = await startWorker(inventoryNamed('shop'));
  try {
    const ends = [];
    const env = { ...CLOSED, PROVISIONING_SECRET_REDIS_PASSWORD: 'hunter3', HCLOUD_TOKEN: 'hunter4' };
    for (const [line, environment] of [
      [`validate ${file}`, CLOSED],
      [`validate ${generating}`, CLOSED],
      [`graph ${file}`, CLOSED],
      [`cost ${file}`, CLOSED],
      [`apply ${file} --check`, env],
      [`apply ${generating} --yes --no-wait`, CLOSED],
      ['delete shop --check', env],
      ['server list', CLOSED],
      ['output --infra shop', CLOSED],
      ['orphans', env],
    ] as const) {
      const { code, err } = await run(line, { env: environment });
      ends.push([line, code, err.includes('cannot') ? err : '']);
    }
    expect(ends).toEqual(ends.map(([line]) => [line, 0, '']));
    // The worker has the values of the environment, in the scope that `secret set` would choose.
    expect(await store.within({ workspace: 'default' }).get('redis-password')).toBe('hunter3');
    expect((await store.list()).filter((name) => name.startsWith('generated/default/made/'))).toHaveLength(1);
    expect(worker.submitted.map(({ infra }) => infra)).toEqual(['shop', 'made', 'shop']);
    expect(JSON.stringify(worker.submitted)).not.toContain('hunter');
    // Each command that reads a definition queries the names once.
    expect(worker.asked.filter((name) => name === 'secrets.list').length).toBeGreaterThanOrEqual(6);
    for (const name of ['secrets', 'encryption', 'keys']) expect((await readdir(here)).includes(name)).toBe(true);
  } finally {
    await worker.close();
  }
});

test('names that the worker does not have are errors of the definition', async () => {
  const file = await writeDefinition();
  const worker = await startWorker(inventoryNamed('shop'));
  try {
    const { code, out } = await run(`validate ${file}`, { env: CLOSED });
    expect([code, out]).toEqual([2, expect.stringContaining('the secret "redis-password" is not set')]);
    expect(worker.asked).toEqual(['secrets.list']);
  } finally {
    await worker.close();
  }
});

test('without a worker a home answers itself, and starts none', async () => {
  const file = await writeDefinition();
  expect((await run(`validate ${file}`)).out).toContain('the secret "redis-password" is not set');
  expect((await run('secret set redis-password', { stdin: 'hunter2\n' })).code).toBe(0);
  const { code, out } = await run(`validate ${file}`);
  expect([code, out]).toEqual([0, expect.stringMatching(/^valid: /)]);
  expect(await readdir(here)).not.toContain('engine');
});

test('without the worker of a team a definition is valid, with a warning that names were not checked', async () => {
  const file = await writeDefinition();
  const { code, out } = await run(`validate ${file}`, { env: CLOSED });
  expect(code).toBe(0);
  expect(out).toMatch(/warning: .*it was not checked whether these secrets are set: redis-password/);
  const json = JSON.parse((await run(`validate ${file} --json`, { env: CLOSED })).out);
  expect(json).toMatchObject({ valid: true, warnings: [{ file, message: expect.stringContaining('redis-password') }] });
  // A definition without secrets gives no warning.
  const plain = await run(`validate ${await writeDefinition('{ generate: password }')}`, { env: CLOSED });
  expect([plain.code, plain.out]).toEqual([0, expect.not.stringContaining('not checked')]);
});
