import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { infraWorkflowId } from '../../core/names.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import { pathOf } from '../../providers/demo/config.js';
import { readRecord } from '../../workers/engine/record.js';
import { provisioning, startCommand } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { freePorts } from '../support/free-ports.js';
import { eventually, run, runWell, submit, untilStatus } from '../support/operations.js';
import { findPostgres, startPostgres, type TestPostgres } from '../support/postgres.js';
import { createRemoteHome, killApiServer, startApiServer } from '../support/remote-home.js';

const postgresHere = findPostgres() !== undefined;
if (!postgresHere) console.warn('skipped: PostgreSQL is not installed, so no workspace moves into it');

const PASSPHRASE = 'four words that open';
const VALUE = 'correct horse battery staple';
const scope = { workspace: 'default', infra: 'shop' };
const applied = {
  infra: 'shop',
  definition: demoDefinition('shop', { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx'] }),
};

describe('a workspace', { timeout: 600_000 }, () => {
  let source: TestEngine;
  let target: TestEngine;
  let postgres: TestPostgres | undefined;
  let folder: string;
  let recipient: string;
  beforeAll(async () => {
    source = await startTestEngine();
    // The other platform is a team's, if PostgreSQL is there.
    postgres = postgresHere ? await startPostgres() : undefined;
    const database = await postgres?.database('transfer');
    target = await startTestEngine(database && { PROVISIONING_STORE: database.urlWithoutPassword, PGPASSWORD: database.password });
    folder = await mkdtemp(join(tmpdir(), 'transfer-'));
    for (const name of ['own', 'other']) {
      const identity = await generateX25519Identity();
      await writeFile(join(folder, name), `${identity}\n`, { mode: 0o600 });
      if (name === 'own') recipient = await identityToRecipient(identity);
    }
  });
  afterAll(async () => {
    await source?.stop();
    await target?.stop();
    await postgres?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  const at = (name: string) => join(folder, name);
  const exported = (...more: string[]) => provisioning(source, ['workspace', 'export', 'default', ...more, '--json']);
  const imported = (file: string, ...more: string[]) =>
    provisioning(target, ['workspace', 'import', at(file), '--identity', at('own'), ...more, '--json']);
  const code = ({ stdout }: { stdout: string }): string => JSON.parse(stdout).error?.code;
  const outcome = ({ stdout }: { stdout: string }): string => JSON.parse(stdout).outcome ?? stdout;

  const why = ({ stdout }: { stdout: string }): string => JSON.parse(stdout).error?.why;
  const byPassphrase = (file: string, input: string, ...more: string[]) =>
    provisioning(target, ['workspace', 'import', at(file), ...more, '--json'], input);

  const shop = () => target.temporal.workflow.getHandle(infraWorkflowId('default', 'shop'));

  const isThere = () =>
    shop()
      .describe()
      .then(
        ({ status }) => status.name === 'RUNNING',
        () => false,
      );

  /** Ends an import by kill -9 of the worker, which imports, once it has begun the infra. */
  async function cutImport(file: string) {
    for (;;) {
      const worker = (await readRecord(target.home))?.worker?.pid;
      if (worker === undefined) throw new Error('no worker runs');
      const cut = startCommand(target, ['workspace', 'import', at(file), '--identity', at('own'), '--yes', '--json']);
      while (!(await isThere())) await sleep(1);
      process.kill(worker, 'SIGSTOP');
      cut.kill();
      await target.killWorker();
      await cut.ended;
      await target.up();
      if (code(await byPassphrase('words.age', PASSPHRASE, '--yes')) === 'import-unfinished') return;
      // It had come to its end just before.
      expect(outcome(await imported(file, '--yes', '--undo'))).toBe('undone');
      await targetIsEmpty();
    }
  }

  async function targetIsEmpty() {
    const client = await target.client();
    await eventually(async () => expect(await client.infras.list({ workspace: 'default' })).toEqual([]));
    expect(await client.secrets.list({ workspace: 'default' })).toEqual([]);
    expect((await client.infras.lost({ workspace: 'default' })).infras).toEqual([]);
  }

  test('moves to another platform as a whole, and the former one changes nothing any more', async () => {
    const from = await source.client();
    const { operation } = await runWell(source, applied);
    await from.secrets.set({ workspace: 'default', name: 'token', value: 'former' });
    await from.secrets.set({ workspace: 'default', name: 'token', value: VALUE });
    await from.secrets.set({ ...scope, name: 'password', value: `${VALUE}!` });
    await from.secrets.set({ workspace: 'other', name: 'token', value: 'of another workspace' });
    // A text by its address is content, too: its name is no workspace.
    const file = 'infra: shop\n';
    const address = addressOfFile('default', file);
    const files = [{ path: 'shop.yaml', address, size: file.length }];
    await from.bundles.put({ bundle: { ...scope, definition: address, main: 'shop.yaml', files }, texts: { [address]: file } });

    const waiting = await submit(source, {
      ...applied,
      approve: ['before-change'],
      definition: demoDefinition('shop', { servers: [{ name: 'web', count: 3 }] }),
    });
    await untilStatus(source, waiting, 'waiting');
    expect(code(await exported(at('busy.age'), '--recipient', recipient, '--yes'))).toBe('workspace-busy');
    await from.operations.cancel({ operation: waiting });
    await from.operations.result({ operation: waiting });

    // Temporal's list of what runs lags behind.
    await eventually(async () => expect((await exported(at('none'), '--check')).code).toBe(0));
    // Without a freeze the other platform does not take it.
    expect((await exported(at('kept.age'), '--recipient', recipient, '--keep')).code).toBe(0);
    expect(code(await imported('kept.age', '--yes'))).toBe('workspace-not-frozen');
    expect(code(await exported(at('shop.age'), '--recipient', recipient))).toBe('needs-yes');
    const made = await exported(at('shop.age'), '--recipient', recipient, '--yes');
    expect(JSON.parse(made.stdout)).toMatchObject({
      ...{ workspace: 'default', frozen: true, secrets: 2 },
      infras: [{ infra: 'shop', servers: 2, networks: 1 }],
    });
    expect((await stat(at('shop.age'))).mode & 0o777).toBe(0o600);
    expect((await run(source, applied).catch((error: unknown) => error)) as object).toMatchObject({ details: { code: 'frozen' } });
    expect(code(await exported(at('shop.age'), '--recipient', recipient, '--yes'))).toBe('file-exists');

    // A file that cannot be opened changes nothing.
    const text = await readFile(at('shop.age'), 'utf8');
    const middle = Math.floor(text.length / 2);
    await writeFile(at('damaged.age'), `${text.slice(0, middle)}${text[middle] === 'A' ? 'B' : 'A'}${text.slice(middle + 1)}`);
    expect(code(await imported('damaged.age', '--yes'))).toBe('sealed-file');
    expect(code(await imported('shop.age', '--yes', '--identity', at('other')))).toBe('sealed-file');
    expect(code(await imported('shop.age', '--yes', '--as', 'elsewhere'))).toBe('workspace-in-use');
    await targetIsEmpty();

    const checked = await imported('shop.age', '--check');
    expect([checked.code, JSON.parse(checked.stdout)]).toMatchObject([0, { collisions: [], outcome: 'checked' }]);
    await targetIsEmpty();
    expect(outcome(await imported('shop.age', '--yes'))).toBe('imported');
    expect(outcome(await imported('shop.age', '--yes'))).toBe('unchanged');
    // The way back, and once more.
    expect(outcome(await imported('shop.age', '--yes', '--undo'))).toBe('undone');
    await targetIsEmpty();

    // By a passphrase.
    const sealed = ['workspace', 'export', 'default', at('words.age'), '--yes', '--json'];
    expect((await provisioning(source, sealed, PASSPHRASE)).code).toBe(0);
    expect(code(await byPassphrase('words.age', `${PASSPHRASE}!`, '--yes'))).toBe('sealed-file');
    await targetIsEmpty();
    expect(outcome(await byPassphrase('words.age', PASSPHRASE, '--yes'))).toBe('imported');
    expect(outcome(await byPassphrase('words.age', PASSPHRASE, '--yes', '--undo'))).toBe('undone');
    await targetIsEmpty();

    // Cut in its midst: back, and on.
    await cutImport('shop.age');
    expect(outcome(await imported('shop.age', '--yes', '--undo'))).toBe('undone');
    await targetIsEmpty();
    await cutImport('shop.age');
    // The infra has begun in the meantime, and the store has its changes.
    await eventually(async () => expect(await shop().query('feed')).toMatchObject({ waiting: 0 }));
    expect(outcome(await imported('shop.age', '--yes'))).toBe('imported');
    expect(outcome(await imported('shop.age', '--yes'))).toBe('unchanged');
    // Another export of the same workspace is another import.
    expect((await exported(at('again.age'), '--recipient', recipient, '--yes')).code).toBe(0);
    expect(code(await imported('again.age', '--yes'))).toBe('workspace-exists');

    const to = await target.client();
    expect(await to.infras.inventory(scope)).toEqual(await from.infras.inventory(scope));
    expect(await to.infras.definitions(scope)).toEqual(await from.infras.definitions(scope));
    expect(await to.secrets.get({ workspace: 'default', name: 'token', reveal: true })).toMatchObject({ value: VALUE });
    expect(await to.secrets.get({ ...scope, name: 'password', reveal: true })).toMatchObject({ value: `${VALUE}!` });
    expect((await to.secrets.history({ workspace: 'default', name: 'token' })).versions.map(({ version }) => version)).toEqual([
      2, 1,
    ]);
    expect(await to.secrets.list({ workspace: 'other' })).toEqual([]);
    expect((await to.operations.progress({ operation })).status).toBe('done');

    // The account of the cloud is the same for both.
    const [here, there] = [source, target].map(({ env }) => pathOf({ account: 'default' }, env)) as [string, string];
    await mkdir(dirname(there), { recursive: true });
    await cp(here, there);
    const used = await runWell(target, applied);
    expect(used.steps).toEqual({ executed: 0, planned: 0 });
    const refused = await imported('shop.age', '--yes', '--undo');
    expect([code(refused), why(refused)]).toEqual(['workspace-in-use', expect.stringContaining(used.operation)]);
    await runWell(target, { infra: 'shop', intent: { verb: 'delete' }, allowDestroy: true });
    await eventually(async () => expect(await to.infras.list({ workspace: 'default' })).toEqual([]));
  });

  const seal = (workspace: string) =>
    provisioning(source, ['workspace', 'export', workspace, at(`${workspace}.age`), '--recipient', recipient, '--yes', '--json']);

  /** Keeps random files in a workspace of the source, of 0.7 MB each. Returns the last one, and its place. */
  async function fill(workspace: string, count: number) {
    const { bundles } = await source.client();
    const texts = Array.from({ length: count }, () => randomBytes(700_000).toString('base64'));
    const files = texts.map((text, at) => ({ path: `file-${at}`, address: addressOfFile(workspace, text), size: text.length }));
    const bundle = { workspace, infra: 'shop', definition: 'a'.repeat(64), main: 'file-0', files };
    for (const [at, text] of texts.entries()) await bundles.put({ bundle, texts: { [files[at]?.address as string]: text } });
    const { bundle: address = '' } = await bundles.put({ bundle });
    const place = { workspace, infra: 'shop', bundle: address, path: `file-${count - 1}` };
    return { place, text: texts.at(-1) };
  }

  test('moves in parts if it is larger than a request, and by the calls of a former release if it is not', async () => {
    const [from, to] = [await source.client(), await target.client()];
    await from.secrets.set({ workspace: 'small', name: 'token', value: VALUE });
    const { data = '' } = await from.workspaces.export({ workspace: 'small', keep: true });
    expect((await to.workspaces.import({ workspace: 'small', data })).outcome).toBe('imported');

    const last = await fill('large', 38);
    await expect(from.workspaces.export({ workspace: 'large', keep: true })).rejects.toMatchObject({
      details: { code: 'too-large' },
    });
    const made = await seal('large');
    expect([made.code, JSON.parse(made.stdout)]).toMatchObject([0, { sources: 39 }]);
    expect((await stat(at('large.age'))).size).toBeGreaterThan(26_000_000);
    const bytes = await readFile(at('large.age'));
    bytes[20_000_000] = (bytes[20_000_000] as number) ^ 1;
    await writeFile(at('altered.age'), bytes);
    expect(code(await imported('altered.age', '--yes'))).toBe('sealed-file');
    expect(outcome(await imported('large.age', '--yes'))).toBe('imported');
    expect(await to.bundles.file(last.place)).toEqual({ text: last.text });
  });

  test('moves over HTTPS from another home, also if the client or the server is killed', async () => {
    const last = await fill('far', 6);
    expect((await seal('far')).code).toBe(0);

    const owner = await target.client();
    await owner.serviceAccounts.create({ account: 'mover' });
    await owner.serviceAccounts.bind({ account: 'mover', role: 'admin', workspace: '*' });
    const { token } = await owner.tokens.create({ account: 'mover' });
    const [port] = await freePorts(1);
    let server = await startApiServer(target, `127.0.0.1:${port}`);
    const remote = await createRemoteHome();
    try {
      const ca = join(target.home.engine, 'api', 'ca.pem');
      await remote.json(['context', 'add', 'there', '--server', `https://127.0.0.1:${port}`, '--ca', ca]);
      await remote.json(['login', '--context', 'there', '--token', '-'], { input: token });
      await remote.json(['context', 'use', 'there']);
      const importing = ['workspace', 'import', at('far.age'), '--identity', at('own'), '--yes', '--json'];
      const begin = async () => {
        const command = remote.start(importing);
        // What it prints instead is in the failure.
        const said = () => command.stderr() + command.stdout();
        await eventually(async () => expect(said()).toContain('uploading the workspace'), 30_000, 1);
        return command;
      };
      const killed = await begin();
      killed.kill();
      await killed.ended;

      const cut = await begin();
      await killApiServer(server);
      server = await startApiServer(target, `127.0.0.1:${port}`);
      const done = await cut.ended;
      // Only the answer of the last call can be lost: parts are sent again.
      expect(done.code === 0 ? outcome(done) : code(done)).toMatch(/^(imported|answer-lost)$/);
      expect(outcome(await remote.run(importing))).toBe('unchanged');
      expect(await owner.bundles.file(last.place)).toEqual({ text: last.text });

      await remote.json(['workspace', 'export', 'far', at('back.age'), '--keep', '--recipient', recipient]);
      await (await source.client()).freezes.delete({ workspace: 'far' });
      const back = await provisioning(source, [
        'workspace',
        'import',
        at('back.age'),
        '--identity',
        at('own'),
        '--check',
        '--json',
      ]);
      expect(JSON.parse(back.stdout)).toMatchObject({ outcome: 'checked', summary: { workspace: 'far', sources: 7 } });
    } finally {
      await remote.remove();
      await killApiServer(server);
    }
  });
});
