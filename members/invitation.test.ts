import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { armor, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fingerprintOfText, type Invitation, openInvitation, readInvitation, sealInvitation } from './invitation.js';
import { anInvitation } from './invitation-fixture.js';

let place: string;
let identity: string;
let recipient: string;
let good: Invitation;
let others: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'invitation-'));
  identity = await generateIdentity();
  recipient = await identityToRecipient(identity);
  good = await anInvitation(join(place, 'certificates'), 'ann', 'bob');
  others = (await anInvitation(join(place, 'certificates'), 'carl', 'bob')).temporal.tls?.key ?? '';
});
afterAll(() => rm(place, { recursive: true, force: true }));

const open = async (text: string, opener: Parameters<typeof openInvitation>[1] = { identities: [identity] }) =>
  openInvitation(await readInvitation(text, 'in.age'), opener, 'in.age');
const details = (done: Promise<unknown>) =>
  done.then(
    () => ({ code: 'none', why: '' }),
    (error) => error.details as { code: string; why: string },
  );

describe('an invitation', () => {
  test('is what it was, and shows nothing', async () => {
    const text = await sealInvitation(good, { recipients: [recipient] }, 'out.age');
    expect(await open(text)).toEqual(good);
    expect(Buffer.from(text.split('\n').slice(1, -2).join(''), 'base64').toString('latin1')).not.toContain('temporal');
  });

  test('by a passphrase opens with that one and no other, and with no more work than this program takes', async () => {
    const encrypter = new Encrypter();
    encrypter.setPassphrase('four random words');
    // The program's own work factor takes two seconds.
    encrypter.setScryptWorkFactor(10);
    const bytes = await encrypter.encrypt(JSON.stringify({ provisioning: 'invitation 1', ...good }));
    const text = armor.encode(bytes);
    expect((await readInvitation(text, 'x')).byPassphrase).toBe(true);
    expect(await open(text, { passphrase: 'four random words' })).toEqual(good);
    const refused = await details(open(text, { passphrase: 'other words' }));
    expect(refused).toMatchObject({ code: 'sealed-file', why: 'the passphrase does not open it, or it was altered' });
    expect(JSON.stringify(refused)).not.toContain('other words');
    const greedy = Buffer.from(Buffer.from(bytes).toString('latin1').replace(/ 10\n/, ' 20\n'), 'latin1');
    expect((await details(open(armor.encode(greedy), { passphrase: 'four random words' }))).why).toContain('2^20 rounds of scrypt');
  });

  test('has a fingerprint that changes with each byte of the file', async () => {
    expect(fingerprintOfText('a')).toMatch(/^[0-9a-f]{4}( [0-9a-f]{4}){3}$/);
    expect(fingerprintOfText('a')).not.toBe(fingerprintOfText('b'));
  });

  test('with a byte changed, cut off, or of something else is refused', async () => {
    const text = await sealInvitation(good, { recipients: [recipient] }, 'out.age');
    const middle = Math.floor(text.length / 2);
    const changed = `${text.slice(0, middle)}${text[middle] === 'A' ? 'B' : 'A'}${text.slice(middle + 1)}`;
    for (const bad of [changed, text.slice(0, middle), 'provisioning', ''])
      expect((await details(open(bad))).code).toBe('sealed-file');
    const other = await generateIdentity();
    expect((await details(open(text, { identities: [other] }))).code).toBe('sealed-file');
  });

  // Anyone can encrypt for a recipient, which is public.
  const sealed = async (value: unknown) => {
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    return armor.encode(await encrypter.encrypt(typeof value === 'string' ? value : JSON.stringify(value)));
  };
  const form = (change: (value: ReturnType<typeof copy>) => void) => {
    const value = copy();
    change(value);
    return value;
  };
  // biome-ignore lint/suspicious/noExplicitAny: a stranger's value has any form
  const copy = (): any => ({ provisioning: 'invitation 1', ...structuredClone(good) });

  test.each([
    ['no JSON', () => '{'],
    ['a list', () => []],
    ['a recovery copy', () => ({ provisioning: 'recovery copy 1', setUp: 'x', wrapping: [], keys: [] })],
    ['files with names of their own', () => form((value) => (value.files = { '../../.ssh/authorized_keys': 'ssh-ed25519 …' }))],
    ['a path as the name', () => form((value) => (value.member = '../bob'))],
    ['SQL as the name', () => form((value) => (value.member = 'bob"; drop role ann; --'))],
    ['the name of a program', () => form((value) => (value.member = 'server'))],
    ['a path as the set-up', () => form((value) => (value.encryption.setUp = '../../x'))],
    ['a host with a path', () => form((value) => (value.store.host = 'db/../x'))],
    ['a host with a user', () => form((value) => (value.store.host = 'ann@db'))],
    ['a host that no URL has', () => form((value) => (value.store.host = ':::'))],
    ['a password of two lines', () => form((value) => (value.store.password = 'a\nb'))],
    ['a mode of TLS that is none', () => form((value) => (value.store.sslmode = 'verify-full&sslkey=/etc/shadow'))],
    ['an address with a control character', () => form((value) => (value.temporal.address = 'a\u001b[2J:7233'))],
    ['an address without a port', () => form((value) => (value.temporal.address = 'temporal'))],
    ['a namespace of two lines', () => form((value) => (value.temporal.namespace = 'a\n[profile.b]'))],
    ['text around a certificate', () => form((value) => (value.temporal.tls.ca = `x = 1\n${value.temporal.tls.ca}`))],
    ['a certificate that is none', () => form((value) => (value.temporal.tls.ca = PEM_OF_NOTHING))],
    ['a key of another certificate', () => form((value) => (value.temporal.tls.key = others))],
    ['no encryption key', () => form((value) => (value.encryption.keys.keys = []))],
    ['a short encryption key', () => form((value) => (value.encryption.keys.keys[0].key = 'AAAA'))],
    [
      'a key service that runs a command',
      () => form((value) => (value.encryption.keys = { by: 'service', kms: 'command', kmsKey: 'x', keys: [] })),
    ],
    ['a key service at a file', () => form((value) => (value.encryption.keys = service('file:///etc/passwd')))],
    [
      'more keys than anybody has',
      () => form((value) => (value.encryption.keys.keys = Array(501).fill(value.encryption.keys.keys[0]))),
    ],
  ])('with %s is refused, and its values are not told', async (_, make) => {
    const refused = await details(open(await sealed(make())));
    expect(refused.code).toBe('member-invitation');
    expect(refused.why).not.toContain('drop role');
    expect(refused.why).not.toContain(good.store.password);
  });
});

const PEM_OF_NOTHING = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const service = (kmsAddress: string) => ({
  by: 'service',
  kms: 'vault',
  kmsKey: 'transit/x',
  kmsAddress,
  keys: [{ id: 'a', since: '', wrapped: 'x' }],
});
