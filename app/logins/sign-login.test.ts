import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jumpKeyName } from '../../core/definition/jump-host.js';
import { emptyInventory } from '../../core/infra/inventory.js';
import { homeOf } from '../../home/home.js';
import { keyFiles } from '../../stores/files/key-files.js';
import { makePair } from '../../stores/key-pair.js';
import { writeRequest } from '../../test/support/login-requests.js';
import { testText } from '../../test/support/private-text.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import type { Passage } from '../method.js';
import { createGroupMember, type Principal } from '../principal.js';
import type { SignRequest } from './sign-request.js';

const owner = { workspace: 'default', infra: 'shop' };
const hostKey = makePair('host').public;
const jumpKey = makePair('jump').public;
const blobOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64');

const ssh = { kind: 'ssh', address: '192.0.2.1', port: 22, user: 'root' } as const;
let folder: string;
let engine: Engine;
let own: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logins-'));
  const keys = keyFiles(join(folder, 'keys'), testText);
  own = (await keys.infraKey(owner)).public;
  await keys.pin(owner, 'web', hostKey);
  await keys.pin(owner, jumpKeyName({ address: '192.0.2.9', port: 22 }), jumpKey);
  const connections = {
    web: ssh,
    behind: { ...ssh, user: 'deploy', jump: 'ops@192.0.2.9' },
    mine: { ...ssh, identity: join(folder, 'mine/id') },
    other: { ...ssh, identity: join(folder, 'other/id') },
    demo: { kind: 'demo', account: 'a', server: 's' },
  };
  const servers = Object.fromEntries(Object.entries(connections).map(([name, connection]) => [name, { name, connection }]));
  const query = async () => ({ ...emptyInventory({ ...owner, uuid: 'u-1' }), servers });
  engine = {
    temporal: { workflow: { getHandle: () => ({ query }) } },
    stores: { keys },
    beside: {
      home: homeOf({ PROVISIONING_HOME: join(folder, 'home') }),
      env: { PROVISIONING_WORKER_IDENTITIES: `${join(folder, 'mine')}/*` },
    },
  } as unknown as Engine;
});
afterAll(() => rmSync(folder, { recursive: true }));

const call = (name: string, input: object, principal: Principal = createGroupMember('gid-7@desk'), more = {}) =>
  createDispatcher({ engine, principal, checksAnswers: true, ...more }).call(name, { ...owner, ...input });

/** Signs a login. Returns its data and signature, or the code and the reason of the refusal. */
async function sign(asked: { server: string; jump?: true }, more: Partial<SignRequest> = {}) {
  const request = { user: 'root', algorithm: 'ssh-ed25519', key: blobOf(own), ...more };
  const data = writeRequest(request);
  try {
    const { signature } = (await call('servers.signLogin', { ...asked, data: data.toString('base64') })) as { signature: string };
    return { data, signature: Buffer.from(signature, 'base64') };
  } catch (error) {
    const { code, why } = (error as { details: { code: string; why: string } }).details;
    return `${code}: ${why}`;
  }
}

/** The parts of a signature as SSH writes it. */
function partsOf(signature: Buffer): { algorithm: string; plain: Buffer } {
  const end = 4 + signature.readUInt32BE();
  expect(signature.readUInt32BE(end)).toBe(signature.length - end - 4);
  return { algorithm: signature.toString('latin1', 4, end), plain: signature.subarray(end + 4) };
}

const verify = (line: string, data: Buffer, signature: Buffer): boolean | Error => {
  const key = ssh2.utils.parseKey(line);
  if (key instanceof Error) throw key;
  return (Array.isArray(key) ? key[0] : key).verify(data, signature);
};

test('a login has all that ssh needs, and no private key', async () => {
  const logins = await call('servers.login', { servers: ['web', 'behind'] });
  expect(logins).toEqual([
    {
      server: 'web',
      address: '192.0.2.1',
      port: 22,
      user: 'root',
      hostKey: hostKey.split(' ').slice(0, 2).join(' '),
      publicKey: own,
    },
    {
      ...{ server: 'behind', address: '192.0.2.1', port: 22, user: 'deploy', publicKey: own },
      jump: { address: '192.0.2.9', port: 22, user: 'ops', hostKey: jumpKey.split(' ').slice(0, 2).join(' ') },
    },
  ]);
  expect(JSON.stringify(logins)).not.toMatch(/PRIVATE/);
});

test('a login is signed by the key of the infra: to a server, and to its jump host', async () => {
  for (const [asked, user] of [
    [{ server: 'web' }, 'root'],
    [{ server: 'behind' }, 'deploy'],
    [{ server: 'behind', jump: true }, 'ops'],
  ] as const) {
    const made = await sign(asked, { user });
    if (typeof made === 'string') throw new Error(made);
    const { algorithm, plain } = partsOf(made.signature);
    expect([algorithm, verify(own, made.data, plain)]).toEqual(['ssh-ed25519', true]);
  }
});

test.each<[string, Parameters<typeof sign>, RegExp]>([
  ['of another user', [{ server: 'web' }, { user: 'ubuntu' }], /the user of this login is not "root"/],
  ['of the user of the server at its jump host', [{ server: 'behind', jump: true }, { user: 'deploy' }], /is not "ops"/],
  ['of the user of the jump host at the server', [{ server: 'behind' }, { user: 'ops' }], /is not "deploy"/],
  ['of a user in other letters', [{ server: 'web' }, { user: 'root\0' }], /is not "root"/],
  ['by another key', [{ server: 'web' }, { key: blobOf(makePair('x').public) }], /not for the key of this server/],
  ['by an algorithm of another key', [{ server: 'web' }, { algorithm: 'rsa-sha2-512' }], /does not sign by rsa-sha2-512/],
  ['to a jump host that is not there', [{ server: 'web', jump: true }], /has no jump host/],
  ['to a host with another key', [{ server: 'web' }, { hostKey: blobOf(jumpKey) }], /does not show the pinned key/],
  [
    'to a host without a pinned key',
    [{ server: 'behind' }, { user: 'deploy', hostKey: blobOf(hostKey) }],
    /does not show the pinned/,
  ],
])('a login is not signed %s', async (_, args, why) => {
  const answer = await sign(...args);
  expect(answer).toMatch(/^signature-refused: /);
  expect(answer).toMatch(why);
});

test('a host that shows the pinned key is signed for', async () => {
  expect(await sign({ server: 'web' }, { hostKey: blobOf(hostKey) })).toMatchObject({ signature: expect.any(Buffer) });
  const through = await sign({ server: 'behind', jump: true }, { user: 'ops', hostKey: blobOf(jumpKey) });
  expect(through).toMatchObject({ signature: expect.any(Buffer) });
});

test('servers without a machine, and those that are not there, have no login', async () => {
  for (const [servers, code] of [
    [['demo'], 'no-machine'],
    [['gone'], 'unknown-server'],
    [['__proto__'], 'unknown-server'],
    [['../../web'], 'unknown-server'],
  ])
    await expect(call('servers.login', { servers })).rejects.toMatchObject({ details: { code } });
});

const PAIRS = {
  // ssh2 makes pairs that cannot be read back.
  'ssh-ed25519': () => makePair('mine'),
  'ssh-rsa': () => ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }),
  'ecdsa-sha2-nistp256': () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }),
};

test.each([
  ['ssh-ed25519', ['ssh-ed25519']],
  ['ssh-rsa', ['rsa-sha2-256', 'rsa-sha2-512']],
  ['ecdsa-sha2-nistp256', ['ecdsa-sha2-nistp256']],
] as const)('a key that a definition names signs, if the settings allow it: %s', async (type, algorithms) => {
  const pair = PAIRS[type]();
  for (const place of ['mine', 'other']) {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, 'id'), pair.private, { mode: 0o600 });
  }
  const [login] = (await call('servers.login', { servers: ['mine'] })) as { publicKey: string }[];
  expect(blobOf(login?.publicKey ?? '')).toEqual(blobOf(pair.public));
  for (const algorithm of algorithms) {
    const made = await sign({ server: 'mine' }, { key: blobOf(pair.public), algorithm });
    if (typeof made === 'string') throw new Error(made);
    expect(partsOf(made.signature).algorithm).toBe(algorithm);
  }
  const foreign = await sign({ server: 'other' }, { key: blobOf(pair.public), algorithm: algorithms[0] });
  expect(foreign).toMatch(/^ssh-key-not-allowed: /);
  await expect(call('servers.login', { servers: ['other'] })).rejects.toMatchObject({ details: { code: 'ssh-key-not-allowed' } });
});

test('logins are an action of their own, about the server, and are recorded', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id, infra }) =>
    action === 'infra:read' || asked.push([action, type, id, infra]) < 0;
  const data = writeRequest({ user: 'root', algorithm: 'ssh-ed25519', key: blobOf(own) }).toString('base64');
  const eve = { actor: 'eve@desk', may };
  await expect(call('servers.signLogin', { server: 'web', data }, eve)).rejects.toMatchObject({ details: { code: 'forbidden' } });
  await expect(call('servers.login', { servers: ['web'] }, eve)).rejects.toMatchObject({ details: { code: 'forbidden' } });
  expect(asked).toEqual([
    ['server:login', 'Server', 'default/shop/web', 'shop'],
    ['server:login', 'Infra', 'default/shop', 'shop'],
  ]);
  const recorded: string[] = [];
  const audit = async ({ action, located }: Passage) => {
    recorded.push(`${action} ${located.id}`);
    return async () => {};
  };
  await call('servers.signLogin', { server: 'web', data }, undefined, { audit });
  expect(recorded).toEqual(['server:login default/shop/web']);
});
