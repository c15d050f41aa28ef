import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { homeOf } from '../../../home/home.js';
import { type Invitation, sealInvitation } from '../../../members/invitation.js';
import { anInvitation } from '../../../members/invitation-fixture.js';
import { resolveEnvironment } from '../../../settings/settings.js';
import { noEngine } from '../../../test/support/home-secrets.js';
import { runLine } from '../../fake-run.js';

let shared: string;
let identity: string;
let good: Invitation;
beforeAll(async () => {
  shared = await mkdtemp(join(tmpdir(), 'accept-'));
  identity = await generateIdentity();
  await writeFile(join(shared, 'identity'), identity, { mode: 0o600 });
  good = await anInvitation(join(shared, 'certificates'), 'bob');
});
afterAll(() => rm(shared, { recursive: true, force: true }));

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'accept-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const at = (...names: string[]) => join(place, ...names);
const environment = () => ({ HOME: place, XDG_STATE_HOME: at('state'), XDG_CONFIG_HOME: at('config') });
const TOML = () => at('config/temporalio/temporal.toml');

async function accept(invitation: Invitation = good, line = '', more: Parameters<typeof runLine>[1] = {}) {
  const recipients = [await identityToRecipient(identity)];
  await writeFile(at('in.age'), await sealInvitation(invitation, { recipients }, 'in.age'));
  const { env, ...options } = more;
  const typed = `member accept ${at('in.age')} --identity ${join(shared, 'identity')}${line}`;
  return runLine(typed, { root: at('home'), env: { ...environment(), ...env }, ...options });
}

/** Returns all files of a machine with their contents. */
async function filesOf(folder = place): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && path !== at('in.age')) found[path] = await readFile(path, 'utf8');
  }
  return found;
}

describe('member accept', () => {
  test('shows what it writes, asks, and writes files for nobody else to read', async () => {
    const declined = await accept(good, '', { interactive: true, answers: [false] });
    expect([declined.code, declined.out]).toEqual([5, expect.stringContaining('Nothing was changed.\n')]);
    expect(await filesOf()).toEqual({});
    const { code, out } = await accept(good, '', { interactive: true, answers: [true] });
    expect([code, out]).toEqual([0, expect.stringContaining('provisioning up --no-worker\n')]);
    for (const shown of ['temporal.example.org:7233', 'db.example.org:5432', 'newer, older', TOML()]) expect(out).toContain(shown);
    for (const path of Object.keys(await filesOf())) expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o600]);
    const secrets = [good.store.password, 'PRIVATE KEY', ...good.encryption.keys.keys.map((one) => ('key' in one ? one.key : ''))];
    for (const secret of secrets) expect(out).not.toContain(secret);
  });

  test('makes the settings of a home that reaches the team', async () => {
    const { code, out } = await accept(good, ' --yes --json');
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ member: 'bob', written: true, profile: 'team' })]);
    const home = homeOf({ PROVISIONING_HOME: at('home') });
    const settled = await resolveEnvironment(home, environment());
    expect(settled).toMatchObject({
      TEMPORAL_PROFILE: 'team',
      PROVISIONING_STORE: 'postgres://bob@db.example.org:5432/provisioning',
      PROVISIONING_STORE_PASSWORD_FILE: at('home/team/store-password'),
    });
    expect(await readFile(at('home/team/store-password'), 'utf8')).toBe(`${good.store.password}\n`);
    const { readConfiguredService } = await import('../../../settings/temporal-service.js');
    expect(await readConfiguredService(settled)).toMatchObject({
      address: 'temporal.example.org:7233',
      namespace: 'provisioning',
      connection: { tls: { serverNameOverride: 'localhost', clientCertPair: { crt: expect.anything(), key: expect.anything() } } },
    });
    const { out: keys } = await runLine('encryption status --json', { root: at('home'), env: environment(), connect: noEngine });
    expect((JSON.parse(keys) as { keys: { id: string }[] }).keys.map(({ id }) => id)).toEqual(['newer', 'older']);
  });

  test('again changes nothing; a newer invitation brings a new password and a new current key, and keeps the rest', async () => {
    await mkdir(at('config/temporalio'), { recursive: true });
    const own = '# mine\n[profile.cloud]\naddress = "x:1" # kept';
    await writeFile(TOML(), own);
    await mkdir(at('home'), { mode: 0o700 });
    await writeFile(at('home/config.yaml'), '# mine\noutput:\n  color: never\n', { mode: 0o600 });
    expect((await accept(good, ' --yes')).code).toBe(0);
    const toml = await readFile(TOML(), 'utf8');
    expect(toml.startsWith(`${own}\n[profile.team]\n`)).toBe(true);
    expect(await readFile(at('home/config.yaml'), 'utf8')).toMatch(/^# mine\noutput:\n {2}color: never\n/);
    const newer = structuredClone(good);
    newer.store.password = 'another';
    newer.temporal.namespace = 'moved';
    const { keys } = newer.encryption;
    if (keys.by === 'copy') keys.keys.unshift({ id: 'newest', since: '', key: Buffer.alloc(32, 1).toString('base64') });
    expect((await accept(newer, ' --yes')).code).toBe(0);
    expect(await readFile(at('home/team/store-password'), 'utf8')).toBe('another\n');
    const moved = await readFile(TOML(), 'utf8');
    expect(moved).toContain('address = "x:1" # kept');
    expect(moved).toMatch(/namespace *= *"moved"/);
    const stored = JSON.parse(await readFile(at('home/encryption/keys.json'), 'utf8')) as { keys: { id: string }[] };
    expect(stored.keys.map(({ id }) => id)).toEqual(['newest', 'newer', 'older']);
    // The former invitation lacks a key that this home has since received.
    const refused = await accept(good, ' --yes');
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('the encryption key newest, which does not belong to the team'),
    ]);
  });

  test.each<[string, string, () => Promise<unknown>, NodeJS.ProcessEnv]>([
    ['another store', 'its store is postgres://x@y/z', () => config('store:\n  url: postgres://x:hidden@y/z\n'), {}],
    [
      'the store of another login',
      'its store is',
      async () => {},
      { PROVISIONING_STORE: 'postgres://ann@db.example.org:5432/provisioning' },
    ],
    ['another profile', 'it uses the profile "cloud"', () => config('engine:\n  profile: cloud\n'), {}],
    ['another address', 'TEMPORAL_ADDRESS is set', async () => {}, { TEMPORAL_ADDRESS: 'x:7233' }],
    ['an engine of its own', 'it has its own engine', () => file('home/engine/engine.json', '{"kind":"own"}'), {}],
    [
      'another key',
      'which does not belong to the team',
      () => runLine('encryption rotate', { root: at('home'), env: environment(), connect: noEngine }),
      {},
    ],
    [
      'a key of the environment',
      'PROVISIONING_ENCRYPTION_KEY has the key',
      async () => {},
      { PROVISIONING_ENCRYPTION_KEY: `own:${Buffer.alloc(32).toString('base64')}` },
    ],
    ['settings of a former version', 'provisioning config migrate', () => file('home/settings.yaml', 'ui: http://x\n'), {}],
    [
      'another profile of this name',
      'it has another profile "team"',
      () => file('config/temporalio/temporal.toml', '[profile.team]\naddress = "x:1"\n'),
      {},
    ],
    ['a file of Temporal that is not TOML', 'it is not TOML', () => file('config/temporalio/temporal.toml', '[['), {}],
  ])('refuses a home with %s, and changes nothing', async (_, why, prepare, env) => {
    await prepare();
    const before = await filesOf();
    const { code, err } = await accept(good, ' --yes', { env });
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
    expect(err).not.toContain('hidden');
    expect(await filesOf()).toEqual(before);
  });

  test('leaves all as it was if the last of it cannot be written', async () => {
    const before = await filesOf();
    // The file with this name does not exist, and the name of its draft is too long.
    const env = { TEMPORAL_CONFIG_FILE: at('config', 'x'.repeat(250)) };
    const failed = await accept(good, ' --yes', { env });
    expect(failed.code).not.toBe(0);
    expect(await filesOf()).toEqual(before);
    expect(failed.err).toContain('the path is too long');
    expect(existsSync(at('home/team'))).toBe(false);
    await accept(good, ' --yes');
    const accepted = await filesOf();
    const newer = structuredClone(good);
    newer.store.password = 'another';
    expect((await accept(newer, ' --yes', { env })).code).not.toBe(0);
    expect(await filesOf()).toEqual(accepted);
  });

  test('takes keys wrapped as they are, and names the key service that opens them', async () => {
    const served: Invitation = structuredClone(good);
    served.encryption.keys = {
      by: 'service',
      kms: 'vault',
      kmsKey: 'transit/team',
      kmsAddress: 'https://vault.example.org',
      kmsCa: good.temporal.tls?.ca,
      keys: [{ id: 'a', since: '2026-01-01T00:00:00Z', wrapped: 'vault:v1:xyz' }],
    };
    served.store = { ...good.store, host: '2001:db8::1', sslmode: 'verify-full', ca: good.temporal.tls?.ca };
    const { code, out } = await accept(served, ' --yes');
    expect([code, out]).toEqual([0, expect.stringContaining('wrapped by vault at https://vault.example.org')]);
    expect(await resolveEnvironment(homeOf({ PROVISIONING_HOME: at('home') }), environment())).toMatchObject({
      PROVISIONING_ENCRYPTION_KMS: 'vault',
      PROVISIONING_ENCRYPTION_KMS_KEY: 'transit/team',
      PROVISIONING_ENCRYPTION_KMS_CA: at('home/team/key-service-ca.pem'),
      PROVISIONING_STORE: `postgres://bob@[2001:db8::1]:5432/provisioning?sslmode=verify-full&sslrootcert=${encodeURIComponent(at('home/team/store-ca.pem'))}`,
    });
    const { setUp, keys } = JSON.parse(await readFile(at('home/encryption/keys.json'), 'utf8'));
    expect([setUp, keys]).toEqual([
      'd28764f5',
      [{ id: 'a', since: '2026-01-01T00:00:00Z', wrapped: 'vault:v1:xyz', kms: 'vault' }],
    ]);
  });

  test('asks nobody who is not there, and reads no file that is too large', async () => {
    const { code, err } = await accept(good);
    expect([code, err]).toEqual([2, expect.stringContaining('add --yes, or --check to only look')]);
    await writeFile(at('large.age'), Buffer.alloc(300_000, 'A'));
    const large = await runLine(`member accept ${at('large.age')} --yes`, { root: at('home'), env: environment() });
    expect(large.code).toBe(2);
    expect(await filesOf()).toEqual({ [at('large.age')]: expect.anything() });
  });
});

async function file(name: string, text: string): Promise<void> {
  await mkdir(join(at(name), '..'), { recursive: true, mode: 0o700 });
  await writeFile(at(name), text, { mode: 0o600 });
}
const config = (text: string) => file('home/config.yaml', text);
