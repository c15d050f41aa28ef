import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { sweep, whyNoHosts } from '../support/hosts.js';
import { readTrace, triedBelow } from '../support/traced-paths.js';

const root = resolve(import.meta.dirname, '../..');
const PROGRAM = join(root, 'bin/provisioning.js');

/** The account `nobody`, because ssh needs an account, and a group without accounts on this machine. */
const USER = 65_534;
const GROUP = 61_235;
/** An infra with a host: a container of this machine. */
const ON_HOSTS = `held-${process.pid}`;

const AS_USER = ['setpriv', `--reuid=${USER}`, `--regid=${USER}`];

/** It uses a secret that the user has set before. */
const DOCUMENT = {
  infra: 'shop',
  provider: 'demo',
  servers: [{ name: 'web' }],
  taskservs: [{ name: 'redis', config: { password: { secret: 'redis-password' } } }],
};

const has = async (...command: string[]) => (await execa(command[0] ?? '', command.slice(1), { reject: false })).exitCode === 0;
const reason =
  process.getuid?.() !== 0
    ? 'it needs root, to run commands as another user'
    : !(await has('setpriv', '--version'))
      ? 'setpriv is not installed'
      : !(await has('strace', '-V'))
        ? 'strace is not installed'
        : !(await has('setpriv', `--reuid=${USER}`, '--clear-groups', 'test', '-r', PROGRAM))
          ? 'another user cannot read the program'
          : undefined;
if (reason) console.warn(`skipped: ${reason}`);
const noHosts = reason ?? (await whyNoHosts());
if (noHosts) console.warn(`left out: logins to hosts: ${noHosts}`);

describe.skipIf(reason !== undefined)('a user of this machine who may open nothing but the second socket of the worker', () => {
  let engine: TestEngine;
  let place: string;
  let socket: string;
  let workspace: string;
  let traces = 0;

  beforeAll(async () => {
    // The user can read this folder, unlike the home of the worker.
    place = await mkdtemp('/tmp/other-user-');
    await chmod(place, 0o755);
    const run = join(place, 'run');
    socket = join(run, 'worker.sock');
    await mkdir(run);
    await chown(run, 0, GROUP);
    await chmod(run, 0o750);
    workspace = join(place, 'user', 'shop');
    for (const folder of ['user', 'user/shop', 'user/config', 'user/data', 'user/state', 'user/cache', 'traces']) {
      await mkdir(join(place, folder), { mode: 0o700 });
      await chown(join(place, folder), USER, USER);
    }
    engine = await startTestEngine({ PROVISIONING_WORKER_SOCKET: socket });
    await chmod(engine.home.root, 0o700);
  });
  afterAll(async () => {
    await engine?.stop();
    if (!noHosts) await sweep(ON_HOSTS);
    await rm(place, { recursive: true, force: true });
  });

  /** Environment of the user, without variables of the worker's home. */
  const env = () => ({
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: join(place, 'user'),
    XDG_CONFIG_HOME: join(place, 'user/config'),
    XDG_DATA_HOME: join(place, 'user/data'),
    XDG_STATE_HOME: join(place, 'user/state'),
    XDG_CACHE_HOME: join(place, 'user/cache'),
    PROVISIONING_SOCKET: socket,
  });

  /** Runs a command as the user. Returns its output, and each path that it or its children tried. */
  async function asUser(args: string[], { input = '', group = GROUP }: { input?: string; group?: number } = {}) {
    const trace = join(place, 'traces', `${traces++}`);
    const user = [...AS_USER, `--groups=${group}`, '--no-new-privs'];
    const traced = ['strace', '-f', '-qq', '-s', '4096', '-e', 'trace=%file,connect', '-o', trace];
    const [program = '', ...rest] = [...user, ...traced, process.execPath, PROGRAM, ...args];
    const { exitCode, stdout, stderr } = await execa(program, rest, {
      ...{ env: env(), extendEnv: false, cwd: workspace, input, reject: false },
    });
    return { code: exitCode, stdout, stderr, tried: readTrace(await readFile(trace, 'utf8')) };
  }

  /** Checks that no file of the worker's home was opened or tried. The user's own home has no store and no keys. */
  async function expectNoStore(tried: ReturnType<typeof readTrace>) {
    expect(tried.length).toBeGreaterThan(20);
    // Proves that the trace records opened files: the program itself, and the socket.
    expect(triedBelow(tried, dirname(PROGRAM))).not.toEqual([]);
    expect(triedBelow(tried, dirname(socket))).not.toEqual([]);
    expect(triedBelow(tried, dirname(engine.home.root))).toEqual([]);
    const own = await readdir(join(place, 'user/data'), { recursive: true });
    expect(own.filter((name) => /(^|\/)(secrets|keys|encryption|engine|rows)(\/|$)/.test(name))).toEqual([]);
  }

  test('cannot open the home: the folder is its owner’s alone', async () => {
    expect((await stat(engine.home.root)).mode & 0o777).toBe(0o700);
    const [program = '', ...rest] = [...AS_USER, `--groups=${GROUP}`, 'ls', engine.home.root];
    const found = await execa(program, rest, { reject: false });
    expect([found.exitCode, found.stderr]).toEqual([2, expect.stringContaining('Permission denied')]);
    expect((await stat(socket)).mode & 0o777).toBe(0o660);
  });

  test('sets a secret, which the worker stores', async () => {
    const set = await asUser(['secret', 'set', 'redis-password'], { input: 'hunter2\n' });
    expect([set.code, set.stderr, set.stdout]).toEqual([0, '', 'set: redis-password (workspace default)']);
    await expectNoStore(set.tried);
    const client = await engine.client();
    expect(await client.secrets.list({ workspace: 'default' })).toMatchObject([{ name: 'redis-password' }]);
    const [recorded] = await client.audit.list({ limit: 10 });
    expect(recorded).toMatchObject({ method: 'secrets.set', actor: expect.stringMatching(`^gid-${GROUP}@`) });
    expect(await asUser(['secret', 'get', 'redis-password', '--reveal'])).toMatchObject({ code: 0, stdout: 'hunter2' });
  });

  test('applies a definition, and reads the logs of the operation', async () => {
    const file = join(workspace, 'shop.json');
    await writeFile(file, JSON.stringify(DOCUMENT));
    await chown(file, USER, USER);
    const applied = await asUser(['apply', 'shop.json', '--yes', '--json']);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    const { operation, status } = JSON.parse(applied.stdout);
    expect(status).toBe('done');
    expect(triedBelow(applied.tried, dirname(engine.home.root))).toEqual([]);
    // The hosts of the demo provider print nothing.
    const logs = await asUser(['logs', operation]);
    expect([logs.code, logs.stderr]).toEqual([0, 'nothing was printed']);
    const unknown = await asUser(['logs', `${operation}-other`]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('-other')]);
    await expectNoStore(logs.tried);
  });

  test('makes a backup, which the worker writes into its folder, lists and verifies it', async () => {
    const made = await asUser(['backup', 'create', '--json']);
    // Its keys have no recovery copy.
    expect([made.code, made.stderr]).toEqual([1, '']);
    const { file } = JSON.parse(made.stdout);
    expect(dirname(file)).toBe(engine.home.backups);
    await expectNoStore(made.tried);
    const listed = await asUser(['backup', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ file }]);
    const verified = await asUser(['backup', 'verify', file.split('/').at(-1), '--json']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ file, seal: 'authentic' });
    await expectNoStore(verified.tried);
  });

  test('shows keys by their ids, fleets and accounts without a look at the home', async () => {
    for (const args of [
      ['encryption', 'status'],
      ['provider', 'list'],
      ['workflow', 'list'],
    ]) {
      const { code, stderr, tried } = await asUser(args);
      expect([args, code, stderr]).toEqual([args, 0, '']);
      await expectNoStore(tried);
    }
  });

  test.skipIf(noHosts)('logs in to a host, for which the worker signs', async () => {
    const file = join(workspace, 'held.json');
    await writeFile(file, JSON.stringify({ infra: ON_HOSTS, provider: 'local', servers: [{ name: 'box' }] }));
    await chown(file, USER, USER);
    const applied = await asUser(['apply', 'held.json', '--yes', '--json']);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    for (const args of [
      ['server', 'ssh', 'box', '--', 'id', '-un'],
      ['exec', 'box', '--infra', ON_HOSTS, '--', 'id', '-un'],
    ]) {
      const ran = await asUser(args);
      expect([ran.code, ran.stderr, ran.stdout]).toEqual([0, '', expect.stringMatching(/\broot\b/)]);
      // The system's ssh ran in the trace, with the public key and a signing socket.
      expect(ran.tried.filter(({ path }) => /provisioning-ssh-.*\/id_ed25519\.pub$/.test(path))).not.toEqual([]);
      await expectNoStore(ran.tried);
    }
    const client = await engine.client();
    const records = await client.audit.list({ limit: 50, filter: { resource: `${ON_HOSTS}/box` } });
    expect(records).toContainEqual(
      expect.objectContaining({ method: 'servers.signLogin', outcome: 'done', actor: expect.stringMatching(`^gid-${GROUP}@`) }),
    );
    // Data that is not an SSH login is not signed.
    await expect(
      client.servers.signLogin({ workspace: 'default', infra: ON_HOSTS, server: 'box', data: Buffer.alloc(90).toString('base64') }),
    ).rejects.toMatchObject({ details: { code: 'signature-refused' } });
  });

  test('gives no path of the machine of the worker', async () => {
    const out = join(place, 'user', 'x.tar');
    const refused = await asUser(['backup', 'create', '--out', out]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('leave out --out')]);
    await expect(stat(out)).rejects.toThrow('ENOENT');
  });

  test('reaches nothing without the group, and nothing else is used instead', async () => {
    const refused = await asUser(['secret', 'list'], { group: USER });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('PROVISIONING_SOCKET')]);
    expect(triedBelow(refused.tried, dirname(engine.home.root))).toEqual([]);
  });
});
