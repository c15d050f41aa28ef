import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../client/connect.js';
import type { BackupRestoration, BackupVerification, NewBackup } from '../../core/engine/backup.js';
import { homeOf } from '../../home/home.js';
import { pathOf } from '../../providers/demo/config.js';
import { readDemo } from '../../providers/demo/store/account.js';
import { openStores } from '../../stores/open-stores.js';
import { readArchive } from '../../workers/engine/backup/archive-reader.js';
import { homeContentOf } from '../../workers/engine/backup/home-contents.js';
import { readManifest } from '../../workers/engine/backup/manifest.js';
import { down } from '../../workers/engine/down.js';
import { up } from '../../workers/engine/up.js';
import { fill, OWNER, PAGE, refuseDamaged, restoreElsewhere, SECRET } from '../support/backups.js';
import { provisioning } from '../support/command-line.js';
import { demoDefinition } from '../support/definition.js';
import { demoAccount } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { eventually, requestOf, runWell, submit, untilStatus } from '../support/operations.js';
import { findPostgres, startPostgres } from '../support/postgres.js';

const SERVERS = 4;
const definition = (count: number) =>
  demoDefinition('shop', {
    servers: [{ name: 'web', count }],
    taskservs: ['nginx', { name: 'redis', config: { password: { generate: 'password' } } }],
  });

describe('a backup', () => {
  let engine: TestEngine;
  let place: string;
  /** A backup of an idle engine, and the output of a backup made during an operation. */
  let archive: string;
  let made: Awaited<ReturnType<typeof provisioning>>;
  let whole: Awaited<ReturnType<typeof provisioning>>;
  const other = (root: string, more: NodeJS.ProcessEnv = {}) => {
    const env = { ...engine.env, PROVISIONING_HOME: root, ...more };
    return { home: homeOf(env), env };
  };
  const keyFile = () => join(place, 'keys.json');
  const busy = () => join(place, 'busy.tar');
  const copy = () => join(place, 'recovery.age');
  const PASSPHRASE = 'four random words here';
  const json = <T>(stdout: string) => JSON.parse(stdout) as T;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'backup-'));
    archive = join(place, 'monday.tar');
    engine = await startTestEngine();
    await runWell(engine, { infra: 'shop', definition: definition(SERVERS) });
    await fill(engine);
    await copyFile(join(engine.home.encryption, 'keys.json'), keyFile());
    made = await whileBusy(() => provisioning(engine, ['backup', 'create', '--out', busy(), '--json']));
    expect(await provisioning(engine, ['key', 'export', copy()], `${PASSPHRASE}\n`)).toMatchObject({ code: 0 });
    expect(await provisioning(engine, ['key', 'generate'])).toMatchObject({ code: 0 });
    whole = await provisioning(engine, ['backup', 'create', '--out', archive]);
    expect([whole.code, whole.stderr]).toEqual([0, '']);
  });
  afterAll(async () => {
    await engine?.stop();
    await rm(place, { recursive: true, force: true });
  });

  /** Runs a function while an operation of another infra runs, and removes that infra afterwards. */
  async function whileBusy<T>(act: () => Promise<T>): Promise<T> {
    await demoAccount(engine).behave({ failures: [{ verb: 'host.step', error: 'user', times: 1 }] });
    const running = await submit(engine, {
      infra: 'other',
      onFailure: 'ask',
      definition: demoDefinition('other', { servers: [{ name: 'one' }], taskservs: ['nginx'] }),
    });
    await untilStatus(engine, running, 'waiting');
    // Running work reaches its feed some seconds later.
    const { feeds, close } = await openStores(engine.home, engine.env);
    await eventually(async () => expect(await feeds.read({ workspace: 'default', infra: 'other' })).toHaveLength(1));
    await close();
    const answer = await act();
    const client = await engine.client();
    await client.operations.decide({ operation: running, decision: 'retry' });
    expect((await client.operations.result({ operation: running })).status).toBe('done');
    await demoAccount(engine).behave({});
    await runWell(engine, { infra: 'other', intent: { verb: 'delete' }, allowDestroy: true });
    return answer;
  }

  /** Starts a restored home while the former one is down. Returns what an apply of the same definition does. */
  async function applyIn({ home, env }: ReturnType<typeof other>) {
    await down(engine.home);
    try {
      await up(home, { env, supervise: false }, () => {});
      const client = await connect({ home, env });
      try {
        // The former records, and the new ones of this home.
        const audit = await client.audit.verify({});
        expect([audit.problems, audit.withoutHead > 0]).toEqual([[], true]);
        const inventory = await client.infras.inventory({ workspace: 'default', infra: 'shop' });
        const request = requestOf({ infra: 'shop', definition: definition(SERVERS) });
        await client.operations.submit({ request });
        return { inventory, result: await client.operations.result({ operation: request.id }) };
      } finally {
        await client.close();
      }
    } finally {
      await down(home);
      await engine.up();
    }
  }

  test('is made while the engine works, private, and says what it is not', async () => {
    const said = json<NewBackup>(made.stdout);
    // The backup's key has not been exported yet.
    expect([made.code, made.stderr, said.complete, said.hint]).toEqual([
      1,
      '',
      false,
      expect.stringMatching(/^provisioning key export FILE /),
    ]);
    expect(said).toMatchObject({ engine: { kind: 'own' }, infras: 2, operations: 1, store: 'files of the home' });
    const counts = Object.fromEntries(Object.entries(said.contents).map(([kind, { count }]) => [kind, count]));
    expect(counts).toMatchObject({ engine: 1, key: 3, secret: 3, blob: 1, log: 1, payload: 1, rollback: 1, sequence: 2, feed: 2 });
    expect(said.notes[0]).toMatch(/^incomplete: no recovery copy of the encryption key \w+ has been exported/);
    expect((await stat(busy())).mode & 0o777).toBe(0o600);
    const again = await provisioning(engine, ['backup', 'create', '--out', busy()]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('the file exists')]);
  });

  test('is listed, and what is none with the reason', async () => {
    const folder = join(place, 'folder');
    await mkdir(folder);
    await copyFile(archive, join(folder, 'good.tar'));
    await writeFile(join(folder, 'bad.tar'), 'no archive');
    const { code, stdout } = await provisioning(engine, ['backup', 'list', folder]);
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.length]).toEqual([0, 3]);
    expect(lines.find((line) => line.includes('good.tar'))).toMatch(/^\d{4}-\S+Z +\S+ +\S+ +\S+ [KM]iB +\S+good\.tar$/);
    expect(lines.find((line) => line.includes('bad.tar'))).toMatch(/^none +\S+bad\.tar +\S/);
  });

  test('is verified with the key, and without one by its hashes alone', async () => {
    const own = await provisioning(engine, ['backup', 'verify', archive, '--json']);
    expect(own.code).toBe(0);
    const verified = json<BackupVerification>(own.stdout);
    const entries = Object.values(verified.contents).reduce((sum, { count }) => sum + count, 0);
    // All entries but the database.
    expect(verified).toMatchObject({ seal: 'authentic', opened: entries - 1, operations: 0 });
    const stranger = await provisioning(other(join(place, 'stranger')), ['backup', 'verify', archive, '--json']);
    expect([stranger.code, json<BackupVerification>(stranger.stdout)]).toMatchObject([0, { seal: 'unproven', opened: 0 }]);
    const given = await provisioning(other(join(place, 'stranger')), ['backup', 'verify', archive, '--json', '--key', keyFile()]);
    expect(json<BackupVerification>(given.stdout).seal).toBe('authentic');
  });

  test('is opened by a recovery copy alone, and not by that of another set-up', async () => {
    const stranger = other(join(place, 'stranger'));
    const [secret, foreign] = [join(place, 'stranger.age'), ['backup', 'verify', archive, '--recovery']];
    const opened = await provisioning(stranger, [...foreign, copy(), '--json'], PASSPHRASE);
    expect([opened.code, json<BackupVerification>(opened.stdout)]).toMatchObject([0, { seal: 'authentic', recovery: copy() }]);
    expect((await provisioning(stranger, ['secret', 'set', 'a'], 'b')).code).toBe(0);
    expect((await provisioning(stranger, ['key', 'export', secret], PASSPHRASE)).code).toBe(0);
    // The home's own keys could open it, but they are not used.
    const refused = await provisioning(engine, [...foreign, secret], PASSPHRASE);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('does not contain the key')]);
  });

  test('has, or leaves out for a reason, every kind of file of a home', async () => {
    const paths = await readdir(engine.home.root, { recursive: true, withFileTypes: true });
    const files = paths
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(engine.home.root, join(entry.parentPath, entry.name)));
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((path) => homeContentOf(path) === undefined)).toEqual([]);
    const { manifest } = await readArchive(archive, (open) => readManifest(archive, open));
    const copied = manifest.entries.filter(({ kind }) => kind === 'file').map(({ name }) => name[0]);
    expect(copied.sort()).toEqual(files.filter((path) => homeContentOf(path)?.in === 'file').sort());
    const kept = new Set<string | undefined>(manifest.entries.map(({ kind }) => kind));
    for (const folder of ['keys', 'secrets', 'operations', 'batches', 'payloads', 'sequences', 'feeds', 'rollbacks', 'rows'])
      expect([folder, homeContentOf(`${folder}/x`)?.in]).toEqual([folder, 'record']);
    for (const kind of ['engine', 'key', 'secret', 'log', 'blob', 'payload', 'sequence', 'feed', 'rollback', 'rows'])
      expect([kind, kept.has(kind)]).toEqual([kind, true]);
  });

  test('is restored on another machine by the commands that were printed, and nothing of the first', () =>
    restoreElsewhere(engine, place, whole.stdout, PASSPHRASE));

  test('holds no secret, key or password in plain text', async () => {
    const bytes = await readArchive(archive, async (open) => {
      const parts: Buffer[] = [];
      for (const entry of open.entries.values()) parts.push(await open.bytes(entry, 1e9));
      return Buffer.concat(parts);
    });
    const { keys } = await openStores(engine.home, engine.env);
    const [, key = ''] = (await keys.infraKey(OWNER)).private.split('\n');
    expect(key).not.toBe('');
    for (const value of [SECRET, key, PAGE.slice(0, 50), 'what the host printed']) expect(bytes.includes(value)).toBe(false);
  });

  test('that was damaged or altered is refused, with the name of the entry', () =>
    refuseDamaged(engine, place, archive, keyFile()));

  test('is restored into another home, where an apply has nothing to do', async () => {
    const to = other(join(place, 'second'));
    const without = await provisioning(engine, ['backup', 'restore', archive, '--to', to.home.root, '--yes']);
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('which is not available')]);
    const asked = await provisioning(engine, ['backup', 'restore', archive, '--to', to.home.root, '--key', keyFile()]);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const args = ['backup', 'restore', archive, '--to', to.home.root, '--key', keyFile(), '--yes', '--json'];
    const { code, stdout, stderr } = await provisioning(engine, args);
    expect([code, stderr]).toEqual([0, '']);
    expect(json<BackupRestoration>(stdout)).toMatchObject({ home: to.home.root, into: 'files of the home' });
    const again = await provisioning(engine, args);
    expect([again.code, again.stdout]).toEqual([2, expect.stringContaining('a home in use cannot be overwritten')]);

    const { inventory, result } = await applyIn(to);
    expect(Object.keys(inventory?.servers ?? {})).toHaveLength(SERVERS);
    expect([result.status, result.steps]).toEqual(['done', { executed: 0, planned: 0 }]);
    const effects = (env: NodeJS.ProcessEnv) => readDemo(pathOf({ account: 'default' }, env)).then((state) => state.effects.length);
    expect(await effects(to.env)).toBe(await effects(engine.env));
    for (const path of [
      'identity.json',
      'engine/temporal.db',
      'keys/default/shop/id_ed25519',
      'keys/default/shop/hosts/web-1',
      'secrets/.versions/shared%2Ftoken/1',
    ])
      expect((await stat(join(to.home.root, path))).mode & 0o077).toBe(0);
    const { keys, secrets } = await openStores(to.home, to.env);
    const former = (await openStores(engine.home, engine.env)).keys;
    expect(await keys.infraKey(OWNER)).toEqual(await former.infraKey(OWNER));
    expect(await keys.pinned(OWNER, 'web-2')).toBe(await former.pinned(OWNER, 'web-2'));
    expect(await secrets.within(OWNER).get('password')).toBe(`${SECRET} 3`);
    // It is the same set-up for clouds, and its backup has the same content.
    const back = await provisioning(to, ['backup', 'create', '--json', '--out', join(place, 'back.tar')]);
    const first = await provisioning(engine, ['backup', 'verify', archive, '--json']);
    const [one, two] = [json<BackupVerification>(first.stdout), json<NewBackup>(back.stdout)];
    expect(two.setup).toBe(one.setup);
    for (const kind of ['key', 'secret', 'blob', 'payload', 'log'])
      expect([kind, two.contents[kind]]).toEqual([kind, one.contents[kind]]);
    expect(two.contents.feed?.count).toBe(one.contents.feed?.count);
  });

  test('of which a restore was killed is begun again, and nothing starts in between', async () => {
    const to = other(join(place, 'third'));
    await provisioning(engine, ['backup', 'restore', archive, '--to', to.home.root, '--key', keyFile(), '--yes']);
    await writeFile(join(to.home.root, 'restoring'), JSON.stringify({ settings: true }));
    const early = await provisioning(to, ['up']);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('did not finish')]);
    const again = await provisioning(engine, ['backup', 'restore', archive, '--to', to.home.root, '--yes']);
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(await readdir(to.home.root)).not.toContain('restoring');
  });

  test.skipIf(findPostgres() === undefined)(
    'of files is restored into PostgreSQL, and from there into files, with operations drained',
    async () => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.stop());
      const { urlWithoutPassword, password } = await postgres.database('team');
      const to = other(join(place, 'fourth'), { PGPASSWORD: password });
      const store = ['--store', urlWithoutPassword];
      const args = ['backup', 'restore', '--to', to.home.root, '--key', keyFile(), '--yes', ...store];
      const refused = await provisioning(to, [...args, busy()]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('ran when it was made')]);
      const { code, stderr } = await provisioning(to, [...args, archive]);
      expect([code, stderr]).toEqual([0, '']);
      expect(await readdir(to.home.root)).not.toContain('keys');
      const { inventory, result } = await applyIn(to);
      expect(Object.keys(inventory?.servers ?? {})).toHaveLength(SERVERS);
      expect([result.status, result.steps]).toEqual(['done', { executed: 0, planned: 0 }]);
      const twice = await provisioning(other(join(place, 'fifth'), { PGPASSWORD: password }), [
        ...['backup', 'restore', '--key', keyFile(), '--yes', ...store, archive],
      ]);
      expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('it already contains data')]);

      // A backup of a running engine: only Temporal knows what ran then.
      await down(engine.home);
      await up(to.home, { env: to.env, supervise: false }, () => {});
      const { keys, secrets, close } = await openStores(to.home, { ...to.env, PROVISIONING_STORE: urlWithoutPassword });
      expect(await keys.infraKey(OWNER)).toEqual(await (await openStores(engine.home, engine.env)).keys.infraKey(OWNER));
      expect(await secrets.get('shared/token')).toBe(SECRET);
      await close();
      const back = join(place, 'from-postgres.tar');
      const made = await provisioning(to, ['backup', 'create', '--out', back, '--json']);
      await down(to.home);
      await engine.up();
      expect(json<NewBackup>(made.stdout)).toMatchObject({ operations: 0, store: urlWithoutPassword });
      const files = other(join(place, 'sixth'), { PGPASSWORD: password });
      const home = await provisioning(files, ['backup', 'restore', back, '--key', keyFile(), '--yes', '--store', 'files']);
      expect([home.code, home.stderr]).toEqual([0, '']);
      const first = json<BackupVerification>((await provisioning(engine, ['backup', 'verify', archive, '--json'])).stdout);
      const { contents } = json<BackupVerification>((await provisioning(files, ['backup', 'verify', back, '--json'])).stdout);
      for (const kind of ['feed', 'key', 'secret', 'blob', 'payload', 'log'])
        expect([kind, contents[kind]?.count]).toEqual([kind, first.contents[kind]?.count]);
      const last = await applyIn(files);
      expect([last.result.status, last.result.steps]).toEqual(['done', { executed: 0, planned: 0 }]);
    },
  );
});
