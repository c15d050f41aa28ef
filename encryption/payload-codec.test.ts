import { createSecretKey, randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload, type SerializationContext } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseRefusal } from '../core/encoding/sealed-message.js';
import { unkept } from '../core/encoding/unkept.js';
import { inputError } from '../core/errors.js';
import { payloadFiles } from '../stores/files/payload-files.js';
import { type Cipher, createCipher } from './cipher.js';
import { loadKeyring } from './keyring.js';
import { type CodecOptions, keyIdOfPayload, LARGE, MOST_UNKEPT, payloadCodec, placeOf, referenceIn } from './payload-codec.js';
import type { PayloadStore } from './payload-store.js';

let folder: string;
let store: PayloadStore;
let cipher: Cipher;
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value) as Payload;
const readBack = (decoded: Payload): unknown => defaultPayloadConverter.fromPayload(decoded);
const HERE = { type: 'workflow', namespace: 'n', workflowId: 'infra/default/shop' } as const;
const ACTIVITY = { ...HERE, type: 'activity', activityId: '7', isLocal: false } as const;
const codecOf = (more: Partial<CodecOptions> = {}) => payloadCodec({ cipher, store, namespace: 'n', ...more });
const codeOf = (error: { details?: { code: string } }) => error.details?.code;
const roundTrip = async (value: unknown) => {
  const [encoded] = await codecOf().encode([payload(value)], HERE);
  return { encoded: encoded as Payload, value: readBack((await codecOf().decode([encoded as Payload], HERE))[0] as Payload) };
};
const stored = async () => (await readdir(folder, { recursive: true })).filter((name) => name.includes('/'));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payloads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  store = payloadFiles(folder);
  const key = { id: 'k1', secret: createSecretKey(randomBytes(32)), source: 'a test' };
  cipher = createCipher(await loadKeyring(async () => [key]));
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['text', 'canary ✓'],
  ['bytes', Uint8Array.from([0, 255, 3])],
  ['an object', { canary: ['a', 1, { b: null }] }],
  ['what can be compressed', { text: 'canary '.repeat(5_000) }],
  ['what cannot', randomBytes(5_000).toString('base64')],
])('%s comes back as it was, and says nothing meanwhile', async (_, given) => {
  const { encoded, value } = await roundTrip(given);
  expect(value).toEqual(given);
  expect(keyIdOfPayload(encoded)).toBe('k1');
  expect(Buffer.from(encoded.data ?? []).includes('canary')).toBe(false);
});

test('compression comes before encryption, and only where it helps', async () => {
  const sizeOf = async (value: unknown) => (await roundTrip(value)).encoded.data?.length ?? 0;
  expect(await sizeOf('canary '.repeat(5_000))).toBeLessThan(1_000);
  expect(await sizeOf(randomBytes(5_000))).toBeLessThan(5_000 + 100);
});

test('a large payload goes to the store once, and history keeps its hash and size', async () => {
  const large = randomBytes(2 * LARGE).toString('hex');
  const { encoded, value } = await roundTrip(large);
  expect(value).toBe(large);
  expect(encoded.data?.length).toBeLessThan(300);
  const before = await stored();
  expect(before).toHaveLength(1);
  await roundTrip(large);
  await codecOf().encode([payload(large)], ACTIVITY);
  expect(await stored()).toEqual(before);
});

describe('what is not to be kept', () => {
  const passed = async (value: unknown) => (await codecOf().encode([unkept(payload(value))], HERE))[0] as Payload;
  const decoded = async (one: Payload) => (await codecOf().decode([one], HERE))[0] as Payload;

  test.each([
    ['small', 'canary'],
    ['large', randomBytes(2 * LARGE).toString('hex')],
    ['large, with what repeats far away', Array(40).fill(randomBytes(LARGE / 4).toString('hex'))],
  ])('is sealed as it stands, and nothing is stored: %s', async (_, value) => {
    const before = await stored();
    const encoded = await passed(value);
    expect(await stored()).toEqual(before);
    const back = await decoded(encoded);
    expect(readBack(back)).toEqual(value);
    expect(Object.keys(back.metadata ?? {})).toEqual(['encoding']);
    await roundTrip(value);
    expect(await stored()).toHaveLength(before.length + (value === 'canary' ? 0 : 1));
  });

  test('is written once where it repeats, however far away', async () => {
    const piece = randomBytes(LARGE / 4).toString('hex');
    const [once, often] = [await passed([piece]), await passed(Array(40).fill(piece))];
    expect(often.data?.length).toBeLessThan(1.5 * (once.data?.length ?? 0));
  });

  test('is a mark where it is too large for Temporal, and no error: that would fail the turn of who is asked', async () => {
    const before = await stored();
    const encoded = await passed(randomBytes(MOST_UNKEPT).toString('base64url'));
    expect(encoded.data?.length).toBeLessThan(1_000);
    expect(parseRefusal(readBack(await decoded(encoded)))).toBe('too-large');
    expect(await stored()).toEqual(before);
  });
});

test('a large payload that was altered or lost is one clear error', async () => {
  const { encoded } = await roundTrip(randomBytes(2 * LARGE).toString('hex'));
  const [name = ''] = (await stored()).sort((a, b) => statSync(join(folder, b)).mtimeMs - statSync(join(folder, a)).mtimeMs);
  const path = join(folder, name);
  const decode = () =>
    codecOf()
      .decode([encoded], HERE)
      .catch((thrown) => thrown.details);
  await writeFile(path, 'other');
  expect(await decode()).toMatchObject({ code: 'payload-missing', why: 'what the store has is not what was put there' });
  await rm(path);
  expect(await decode()).toMatchObject({ code: 'payload-missing', on: name.slice(3) });
});

test('an empty payload as protobufjs makes it comes back empty', async () => {
  const empty = { metadata: { encoding: Buffer.from('binary/null') }, data: [] as unknown as Uint8Array };
  const [decoded] = await codecOf().decode(await codecOf().encode([empty], HERE), HERE);
  expect(readBack(decoded as Payload)).toBeUndefined();
});

describe('what this set-up did not seal for the place where it turns up', () => {
  const sealed = async (value: unknown, context: SerializationContext | null = HERE) =>
    (await codecOf().encode([payload(value)], context ?? undefined))[0] as Payload;
  const large = 'x'.repeat(10) + randomBytes(2 * LARGE).toString('hex');
  const noise = (data: Uint8Array): Payload => ({
    metadata: { encoding: Buffer.from('binary/encrypted'), 'encryption-place': Buffer.from(placeOf(HERE)) },
    data,
  });
  const FOREIGN: [name: string, make: () => Promise<Payload>, context: SerializationContext | undefined, why: string][] = [
    ['plain text', async () => payload('plain'), HERE, 'not-sealed'],
    ['nothing at all', async () => ({}), HERE, 'not-sealed'],
    ['an encoding that nobody knows', async () => ({ metadata: { encoding: Buffer.from('x') } }), HERE, 'not-sealed'],
    ['another workflow', () => sealed(1), { ...HERE, workflowId: 'infra/default/shop2' }, 'not-for-this'],
    ['an activity of the same workflow', () => sealed(1), ACTIVITY, 'not-for-this'],
    ['the workflow of an activity', () => sealed(1, ACTIVITY), HERE, 'not-for-this'],
    ['another activity', () => sealed(1, ACTIVITY), { ...ACTIVITY, activityId: '8' }, 'not-for-this'],
    ['nobody', () => sealed(1, null), HERE, 'not-for-this'],
    ['no place', () => sealed(1), undefined, 'not-for-this'],
    ['another workflow, large', () => sealed(large), { ...HERE, workflowId: 'x' }, 'not-for-this'],
    ['too few bytes', async () => noise(Uint8Array.of(1, 2, 3)), HERE, 'not-for-this'],
    ['no bytes', async () => noise(new Uint8Array()), HERE, 'not-for-this'],
    [
      'another place, whose name was altered',
      async () => {
        const one = await sealed(1, { ...HERE, workflowId: 'other' });
        return { ...one, metadata: { ...one.metadata, 'encryption-place': Buffer.from(placeOf(HERE)) } };
      },
      HERE,
      'not-for-this',
    ],
    [
      'a large payload instead of its reference',
      async () => ({ ...(await sealed(large)), data: (await sealed('small')).data }),
      HERE,
      'not-for-this',
    ],
  ];

  test.each(FOREIGN)('%s: marked for a workflow, an error for all others', async (_, make, context, why) => {
    const one = await make();
    const [marked] = await codecOf({ foreign: 'mark' }).decode([one], context);
    expect(parseRefusal(readBack(marked as Payload))).toBe(why);
    expect(await codecOf().decode([one], context).catch(codeOf)).toBe('sealed-refused');
  });

  test('a payload of another namespace', async () => {
    const one = await sealed('mine');
    expect(await codecOf({ namespace: 'other' }).decode([one], HERE).catch(codeOf)).toBe('sealed-refused');
  });

  test('is shown to people, who are not told whose it is', async () => {
    const show = codecOf({ foreign: 'show' });
    expect(readBack((await show.decode([payload('plain')]))[0] as Payload)).toBe('plain');
    expect(readBack((await show.decode([await sealed('bound')]))[0] as Payload)).toBe('bound');
  });

  test('an unknown key is an error to be tried again where a known one vouches for it, and a mark where anybody may have said so', async () => {
    const key = (id: string) => ({ id, secret: createSecretKey(randomBytes(32)), source: 'a test' });
    const [old, fresh, stranger] = [key('old'), key('fresh'), key('stranger')];
    const by = async (...keys: ReturnType<typeof key>[]) =>
      codecOf({ cipher: createCipher(await loadKeyring(async () => keys)), foreign: 'mark' });
    const ours = (await (await by(fresh, old)).encode([payload(1)], HERE))[0] as Payload;
    const theirs = (await (await by(stranger)).encode([payload(1)], HERE))[0] as Payload;
    expect(await (await by(old)).decode([ours], HERE).catch(codeOf)).toBe('unknown-encryption-key');
    const [marked] = await (await by(old)).decode([theirs], HERE);
    expect(parseRefusal(readBack(marked as Payload))).toBe('unknown-key');
    const vouched = { ...theirs, metadata: { ...theirs.metadata, 'encryption-key-vouched': Buffer.from('old:AAAA') } };
    expect(parseRefusal(readBack((await (await by(old)).decode([vouched], HERE))[0] as Payload))).toBe('unknown-key');
  });
});

test('turned off, new payloads are plain, plain ones are taken and encrypted ones still read', async () => {
  const off = codecOf({ encrypt: false });
  expect(await off.encode([payload('seen')], HERE)).toEqual([payload('seen')]);
  expect(await off.decode([payload('seen')], HERE)).toEqual([payload('seen')]);
  const { encoded } = await roundTrip('hidden');
  expect(readBack((await off.decode([encoded], HERE))[0] as Payload)).toBe('hidden');
});

test('what a payload refers to is not taken for nothing where the keys could not be read', async () => {
  const secret = createSecretKey(randomBytes(32));
  let keys = async () => [{ id: 'new', secret, source: 'a test' }];
  const [large] = await codecOf({ cipher: createCipher(await loadKeyring(() => keys())) }).encode(
    [payload(randomBytes(LARGE).toString('base64'))],
    HERE,
  );
  const found = (ours: Cipher, one: Payload = large as Payload) => referenceIn(one, ours, 'n').catch(codeOf);
  expect(await found(createCipher(await loadKeyring(keys)))).toMatch(/^[0-9a-f]{64}$/);
  expect(await found(cipher)).toBe('unknown-encryption-key');
  // Sealed with another key of this id, for another place, or not sealed.
  const other = async () => [{ id: 'new', secret: createSecretKey(randomBytes(32)), source: 'a test' }];
  expect(await found(createCipher(await loadKeyring(other)))).toBeUndefined();
  for (const data of [undefined, Buffer.from('no seal')])
    expect(await found(cipher, { ...large, data } as Payload)).toBeUndefined();

  keys = async () => [{ id: 'former', secret, source: 'a test' }];
  const ours = createCipher(await loadKeyring(() => keys()));
  keys = async () => {
    throw inputError({ code: 'key-file', what: 'read the encryption keys', why: 'it is half a file' });
  };
  expect(await found(ours)).toBe('key-file');
});
