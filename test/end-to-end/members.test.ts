import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../authoring/context.js';
import { homeOf } from '../../home/home.js';
import { type Outcome, provisioning } from '../support/command-line.js';
import { useSecrets } from '../support/home-secrets.js';
import { findPostgres, startPostgres, storeOf, type TestPostgres } from '../support/postgres.js';

const why = findPostgres() ? undefined : 'PostgreSQL is not installed';
if (why) console.warn(`left out: ${why}`);

const PASSPHRASE = 'four random words here';

/** Two people with two laptops. Their environments share only PATH. */
describe.skipIf(why)('a team of two people', () => {
  let place: string;
  let postgres: TestPostgres;
  let operator: NodeJS.ProcessEnv;
  let superuser: NodeJS.ProcessEnv;
  const at = (...names: string[]) => join(place, ...names);

  async function laptopOf(name: string): Promise<NodeJS.ProcessEnv> {
    await mkdir(at(name), { mode: 0o700 });
    return {
      PATH: process.env.PATH,
      HOME: at(name),
      PROVISIONING_HOME: at(name, 'home'),
      XDG_STATE_HOME: at(name, 'state'),
      XDG_CONFIG_HOME: at(name, 'config'),
      XDG_CACHE_HOME: at(name, 'cache'),
      XDG_RUNTIME_DIR: at(name),
    };
  }
  const on = (env: NodeJS.ProcessEnv, line: string, input = '') => provisioning({ env }, line.split(' '), input, place);
  async function well(outcome: Promise<Outcome>): Promise<string> {
    const { code, stdout, stderr } = await outcome;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  }
  const document = async (outcome: Promise<Outcome>) => JSON.parse(await well(outcome));
  const refused = async (outcome: Promise<Outcome>) => {
    const { code, stdout } = await outcome;
    return { code, error: JSON.parse(stdout).error.code as string };
  };

  /** Stores a secret without an engine, as a worker with these keys would. */
  const setSecret = (env: NodeJS.ProcessEnv, name: string, value: string) =>
    useSecrets({ home: homeOf(env), env } as Context, (secrets) => secrets.within({ workspace: 'default' }).set(name, value));

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'members-'));
    postgres = await startPostgres();
    const store = await storeOf(postgres);
    await execa('sh', [join(import.meta.dirname, '../../deploy/certificates.sh'), at('certificates'), 'ann', 'carl']);
    await writeFile(at('store-password'), store.password, { mode: 0o600 });
    operator = {
      ...(await laptopOf('ann')),
      PROVISIONING_STORE: store.urlWithoutPassword,
      PROVISIONING_STORE_PASSWORD_FILE: at('store-password'),
      TEMPORAL_ADDRESS: '127.0.0.1:7233',
      TEMPORAL_TLS_SERVER_NAME: 'localhost',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: at('certificates/ann/ca.pem'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: at('certificates/ann/client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: at('certificates/ann/client.key'),
    };
    superuser = { ...operator, PGUSER: postgres.user, PGPASSWORD: postgres.password };
    await well(on(operator, 'encryption rotate'));
    await setSecret(operator, 'redis-password', 'hunter2');
  });
  afterAll(async () => {
    await postgres?.stop();
    await rm(place, { recursive: true, force: true });
  });

  test('one is invited, accepts, reads a secret, and is removed', async () => {
    // A preview creates nothing.
    const looked = await document(on(superuser, 'member invite bob --out bob.age --check --json'));
    expect(looked).toMatchObject({ member: 'bob', login: 'new', certificate: { state: 'new' }, written: false });
    expect(looked.loopback).toHaveLength(2);
    expect(await readdir(at('certificates'))).not.toContain('bob');
    expect((await document(on(operator, 'member list --json'))).members.map(({ name }: { name: string }) => name)).toEqual([
      'ann',
      'carl',
    ]);

    const invited = await document(on(superuser, 'member invite bob --out bob.age --json --yes', `${PASSPHRASE}\n`));
    expect(invited).toMatchObject({ written: true, keys: { by: 'copy' } });
    expect((await stat(at('bob.age'))).mode & 0o777).toBe(0o600);
    const sealed = await readFile(at('bob.age'), 'utf8');
    expect(sealed).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);

    const bob = await laptopOf('bob');
    const accepted = await document(on(bob, 'member accept bob.age --json --yes', `${PASSPHRASE}\n`));
    expect(accepted).toMatchObject({ member: 'bob', written: true, fingerprint: invited.fingerprint });
    expect(await well(on(bob, 'secret get redis-password --reveal --offline'))).toBe('hunter2\n');
    for (const name of await readdir(at('bob/home/team'))) expect((await stat(at('bob/home/team', name))).mode & 0o777).toBe(0o600);
    const certificate = new X509Certificate(await readFile(at('bob/home/team/client.pem')));
    expect(certificate.subject).toContain('CN=bob');
    expect(certificate.verify(new X509Certificate(await readFile(at('certificates/authority/clients.pem'))).publicKey)).toBe(true);
    const toml = await readFile(at('bob/config/temporalio/temporal.toml'), 'utf8');
    expect(toml).toContain('[profile.team]\naddress = "127.0.0.1:7233"\n');
    // Ann can read Bob's secrets, and files that Bob creates belong to the store.
    await setSecret(bob, 'from-bob', 'swordfish');
    expect(await well(on(operator, 'secret get from-bob --reveal --offline'))).toBe('swordfish\n');
    // The address of the service comes from the profile. No service listens there.
    expect((await on(bob, 'up --no-worker')).stderr).toContain('127.0.0.1:7233');

    const { members } = await document(on(operator, 'member list --json'));
    expect(members.find(({ name }: { name: string }) => name === 'bob')).toEqual({
      name: 'bob',
      login: true,
      connections: 0,
      certificateEnds: new Date(certificate.validTo).toISOString(),
    });
    // A second invitation has a new password, which does not fit the former one.
    const again = await document(on(superuser, 'member invite bob --out again.age --json --yes', `${PASSPHRASE}\n`));
    expect(again).toMatchObject({ login: 'new password', certificate: { state: 'kept' } });
    expect(await refused(on(bob, 'secret get redis-password --json --offline'))).toEqual({ code: 2, error: 'store-password' });
    await well(on(bob, 'member accept again.age --yes', `${PASSPHRASE}\n`));
    expect(await well(on(bob, 'secret get redis-password --reveal --offline'))).toBe('hunter2\n');

    const former = await readFile(at('certificates/authority/clients.pem'), 'utf8');
    // First without certificates: the login is removed, and the rest is on the checklist.
    const half = await document(on(superuser, 'member remove bob --json --yes'));
    expect(half).toMatchObject({ login: 'removed', certificates: { state: 'kept', renew: false } });
    expect(half.checkList[0].run).toContain('member remove bob --renew-certificates');
    expect(await refused(on(bob, 'secret get redis-password --json --offline'))).toEqual({ code: 2, error: 'store-password' });
    const removed = await document(on(superuser, 'member remove bob --renew-certificates --rotate-key --json --yes'));
    expect(removed).toMatchObject({
      login: 'none',
      certificates: { state: 'renewed', remaining: ['ann', 'carl'] },
      secrets: [
        { name: 'from-bob', workspace: 'default' },
        { name: 'redis-password', workspace: 'default' },
      ],
    });
    const authority = new X509Certificate(await readFile(at('certificates/authority/clients.pem')));
    expect(authority.toString()).not.toBe(former);
    expect(certificate.verify(authority.publicKey)).toBe(false);
    expect(await readFile(at('certificates/server/clients.pem'), 'utf8')).toBe(authority.toString());
    expect((await readdir(at('certificates'))).sort()).toEqual([
      'ann',
      'api',
      'authority',
      'carl',
      'namespace',
      'server',
      'ui',
      'worker',
    ]);
    for (const name of ['ann', 'carl', 'worker', 'ui', 'namespace'])
      expect(new X509Certificate(await readFile(at('certificates', name, 'client.pem'))).verify(authority.publicKey)).toBe(true);
    expect(await refused(on(superuser, 'member remove bob --json --yes'))).toEqual({ code: 2, error: 'no-member' });

    // Remaining members get the new key by a new invitation. It is then their current key.
    await setSecret(operator, 'after', 'new');
    const carl = await laptopOf('carl');
    await well(on(superuser, 'member invite carl --out carl.age --yes', `${PASSPHRASE}\n`));
    await well(on(carl, 'member accept carl.age --yes', `${PASSPHRASE}\n`));
    expect(await well(on(carl, 'secret get after --reveal --offline'))).toBe('new\n');
    const { keys } = await document(on(carl, 'encryption status --json'));
    expect(keys[0].id).toBe(removed.key);
  });

  test('an age key of the person replaces the passphrase', async () => {
    const dora = await laptopOf('dora');
    const { recipient } = await document(on(dora, 'key generate --json'));
    await well(on(superuser, `member invite dora --out dora.age --recipient ${recipient} --yes`));
    await well(on(dora, 'member accept dora.age --yes'));
    expect(await well(on(dora, 'secret get redis-password --reveal --offline'))).toBe('hunter2\n');
    // Another person's key cannot open the invitation, and leaves no files.
    const eve = await laptopOf('eve');
    await document(on(eve, 'key generate --json'));
    expect(await refused(on(eve, 'member accept dora.age --json --yes'))).toEqual({ code: 2, error: 'sealed-file' });
    expect(await readdir(at('eve/home'))).toEqual(['age']);
  });

  test('what cannot be done is refused before a login exists', async () => {
    const invite = (line: string, env = superuser) => refused(on(env, `member invite ${line} --json --yes`, `${PASSPHRASE}\n`));
    await writeFile(at('taken.age'), '');
    for (const name of ['server', 'provisioning', postgres.user, "a';drop", 'a$(id)', '../x', 'Ann'])
      expect([name, await invite(`${name} --out x.age`)]).toEqual([name, { code: 2, error: 'member-name' }]);
    expect(await invite('fay --out taken.age')).toEqual({ code: 2, error: 'member-invitation' });
    expect(await invite('fay --out x.age --certificates /nowhere')).toEqual({ code: 2, error: 'member-certificates' });
    expect(await invite('fay --out x.age', operator)).toEqual({ code: 2, error: 'member-superuser' });
    expect(await invite('fay --out x.age --recipient age1nonsense')).toEqual({ code: 2, error: 'sealed-file' });
    expect(await invite('fay --out x.age --store db/../x')).toEqual({ code: 2, error: 'bad-arguments' });
    expect(await invite('fay --out x.age --address nowhere')).toEqual({ code: 2, error: 'member-invitation' });
    // A home with another key cannot invite into this store.
    const { PROVISIONING_HOME: _, ...rest } = superuser;
    const other = { ...rest, PROVISIONING_HOME: at('other'), PROVISIONING_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
    expect(await invite('fay --out x.age', other)).toEqual({ code: 2, error: 'store-key' });
    const { members } = await document(on(operator, 'member list --json'));
    expect(members.map(({ name }: { name: string }) => name)).not.toContain('fay');
    expect(await readdir(place)).not.toContain('x.age');
  });
});
