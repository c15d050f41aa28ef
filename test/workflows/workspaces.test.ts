import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { HOMES } from '../support/engines.js';

const definition = (count: number) => `infra: shop
provider: demo
servers:
  - name: web
    count: ${count}
taskservs:
  - name: redis
    config:
      password: { generate: password }
`;

describe('the same infra in two workspaces', () => {
  let engine: TestEngine;
  let root: string;

  beforeAll(async () => {
    engine = await startTestEngine();
    root = await mkdtemp(join(tmpdir(), 'provisioning-workspaces-'));
    for (const [name, count] of Object.entries({ one: 1, two: 2 })) {
      const made = await provisioning(engine, ['workspace', 'init', name, '--path', join(root, name)]);
      expect(made.code).toBe(0);
      await writeFile(join(root, name, 'infra/shop.yaml'), definition(count));
      await rm(join(root, name, 'infra', `${name}.yaml`));
    }
  });
  afterAll(async () => {
    await engine?.stop();
    await rm(root, { recursive: true, force: true });
  });

  /** Runs a command in the folder of a workspace, like a user. */
  async function within(name: string, ...args: string[]) {
    const { code, stdout, stderr } = await provisioning(engine, [...args, '--json'], '', join(root, name));
    return { code, answer: JSON.parse(stdout), stderr };
  }

  test('has its own servers, keys, operations and end', { timeout: 240_000 }, async () => {
    const applied = await Promise.all(['one', 'two'].map((name) => within(name, 'apply', 'infra/shop.yaml', '--yes')));
    expect(applied.map(({ code, answer }) => [code, answer.workspace, answer.status])).toEqual([
      [0, 'one', 'done'],
      [0, 'two', 'done'],
    ]);
    const serversOf = async (name: string) =>
      (await within(name, 'server', 'list')).answer.servers.map((row: { name: string }) => row.name);
    expect([await serversOf('one'), await serversOf('two')]).toEqual([['web-1'], ['web-1', 'web-2']]);

    const listed = async (name: string) =>
      (await within(name, 'workflow', 'list')).answer.operations.map((row: { operation: string }) => row.operation);
    expect([await listed('one'), await listed('two')]).toEqual(applied.map(({ answer }) => [answer.operation]));

    const keyOf = async (name: string) => (await within(name, 'server', 'key', 'shop')).answer.publicKey;
    const [one, two] = [await keyOf('one'), await keyOf('two')];
    expect(one).toMatch(/^ssh-/);
    expect(two).not.toBe(one);

    expect((await within('one', 'delete', 'shop', '--yes')).code).toBe(0);
    expect([await serversOf('one'), await serversOf('two')]).toEqual([[], ['web-1', 'web-2']]);
    expect((await within('two', 'apply', 'infra/shop.yaml', '--check')).answer.plan).toEqual([]);
  });

  test('a cluster from a template is a file of its workspace, where it is scaled and deleted', { timeout: 240_000 }, async () => {
    const file = join(root, 'one/infra/store.yaml');
    const preview = await within('one', 'cluster', 'create', 'web', '--name', 'store', '--provider', 'demo', '--check');
    expect([preview.code, preview.answer.files[0].lines[0]]).toEqual([0, expect.stringContaining('Web servers behind')]);
    await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT');

    const values = ['--size', 'small', '--set', 'database=store'];
    const created = await within('one', 'cluster', 'create', 'web', '--name', 'store', '--provider', 'demo', ...values, '--yes');
    expect([created.code, created.answer.status, created.answer.files.map(({ state }: { state: string }) => state)]).toEqual([
      ...[0, 'done', ['written']],
    ]);
    const text = await readFile(file, 'utf8');
    const serversOf = async () =>
      (await within('one', 'server', 'list', '--infra', 'store')).answer.servers.map((row: { name: string }) => row.name).sort();
    expect([
      await serversOf(),
      (await within('two', 'cluster', 'list')).answer.infras.map((row: { infra: string }) => row.infra),
    ]).toEqual([['hub', 'web-1', 'web-2'], ['shop']]);
    expect((await within('one', 'apply', 'infra/store.yaml', '--check')).answer.plan).toEqual([]);

    const scaled = await within('one', 'cluster', 'scale', 'store', 'web=3', '--yes');
    expect([scaled.code, await serversOf()]).toEqual([0, ['hub', 'web-1', 'web-2', 'web-3']]);
    expect(await readFile(file, 'utf8')).toBe(text.replace('    database: store\n', '    database: store\n    count: 3\n'));
    const refused = await provisioning(engine, ['cluster', 'scale', 'store', 'web=1', '--yes'], '', join(root, 'one'));
    expect([refused.code, await serversOf()]).toEqual([2, ['hub', 'web-1', 'web-2', 'web-3']]);
    expect(refused.stdout + refused.stderr).toContain('allow-destroy');
    const smaller = await within('one', 'cluster', 'scale', 'store', '--set', 'count=1', '--yes', '--allow-destroy');
    expect([smaller.code, await serversOf()]).toEqual([0, ['hub', 'web-1']]);

    const deleted = await within('one', 'cluster', 'delete', 'store', '--yes');
    expect([deleted.code, await serversOf().catch(() => 'gone')]).toEqual([0, 'gone']);
  });

  test('a secret of one is none of the other, also where a definition asks for it', async () => {
    const set = await provisioning(engine, ['secret', 'set', 'api-token'], 'only for one\n', join(root, 'one'));
    expect(set.code).toBe(0);
    const secretsOf = async (name: string) => (await within(name, 'secret', 'list')).answer.secrets;
    expect([await secretsOf('one'), await secretsOf('two')]).toEqual([['api-token'], []]);
    const foreign = await within('two', 'secret', 'get', 'api-token', '--reveal');
    expect([foreign.code, JSON.stringify(foreign)]).toEqual([2, expect.not.stringContaining('only for one')]);
    const file = definition(1).replace('{ generate: password }', '{ secret: api-token }');
    for (const name of ['one', 'two']) await writeFile(join(root, name, 'infra/secret.yaml'), file);
    expect((await within('one', 'validate', 'infra/secret.yaml')).code).toBe(0);
    const refused = await within('two', 'validate', 'infra/secret.yaml');
    expect([refused.code, refused.answer.problems[0].message]).toEqual([2, 'the secret "api-token" is not set']);
    expect(JSON.stringify(refused.answer)).not.toContain('only for one');
    // The folder of the other workspace does not work either.
    const crossed = await within('one', 'apply', '../two/infra/shop.yaml', '--yes');
    expect([crossed.code, crossed.answer.error.code]).toEqual([2, 'other-workspace']);
  });

  test('a clone is no workspace before somebody registers it', async () => {
    const clone = join(root, 'clone');
    await mkdir(join(clone, 'infra'), { recursive: true });
    await writeFile(join(clone, 'provisioning.yaml'), await readFile(join(root, 'two/provisioning.yaml')));
    await writeFile(join(clone, 'infra/shop.yaml'), definition(1));
    const refused = await within('clone', 'apply', 'infra/shop.yaml', '--yes');
    expect([refused.code, refused.answer.error.code]).toEqual([2, 'workspace-not-registered']);
    // Commands that concern only the home still work there.
    expect((await within('clone', 'config', 'migrate', '--check')).code).toBe(0);
    const taken = await within('clone', 'workspace', 'register');
    expect([taken.code, taken.answer.error.code]).toEqual([2, 'workspace-name-taken']);
  });
});

describe('a home that never had an engine', () => {
  test('previews a new workspace as its first commands; after a down it waits for a person', { timeout: 240_000 }, async () => {
    const engine = await startTestEngine();
    const place = await mkdtemp(join(process.env[HOMES] ?? tmpdir(), 'engine-'));
    const env = { ...engine.env, HOME: place, PROVISIONING_HOME: join(place, 'home') };
    const run = (args: string[], folder: string) => provisioning({ env }, args, '', folder);
    const check = () => run(['apply', 'infra/demo.yaml', '--check'], join(place, 'demo'));
    try {
      expect((await run(['workspace', 'init', 'demo'], place)).code).toBe(0);
      const first = await check();
      expect(first.stdout).toMatch(/^network\/demo\n {2}\+ Create the network demo\n/);
      expect(first.stderr).toContain('no engine runs for this home yet: starting one');
      expect(first.code).toBe(0);
    } finally {
      await run(['down'], place);
      await engine.stop();
    }
    const second = await check();
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('hint: provisioning up')]);
    await rm(place, { recursive: true, force: true });
  });
});
