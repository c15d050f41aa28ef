import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Cipher, cipherOf } from './cipher.js';
import { keyringOf } from './keyring.js';
import { keyIdOfPayload, LARGE, payloadCodec } from './payload-codec.js';
import { type PayloadStore, payloadFiles } from './payload-store.js';

let folder: string;
let store: PayloadStore;
let cipher: Cipher;
const payload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value) as Payload;
const readBack = (decoded: Payload): unknown => defaultPayloadConverter.fromPayload(decoded);
const codecOf = (namespace = 'n', encrypt = true) => payloadCodec({ cipher, store, namespace, encrypt });
const roundTrip = async (value: unknown) => {
  const [encoded] = await codecOf().encode([payload(value)]);
  return { encoded: encoded as Payload, value: readBack((await codecOf().decode([encoded as Payload]))[0] as Payload) };
};
const stored = async () => (await readdir(folder, { recursive: true })).filter((name) => name.includes('/'));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'payloads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  store = payloadFiles(folder);
  const key = { id: 'k1', secret: createSecretKey(randomBytes(32)), source: 'a test' };
  cipher = cipherOf(await keyringOf(async () => [key]));
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
  expect(JSON.parse(Buffer.from(encoded.data ?? []).toString())).toEqual({
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    size: expect.any(Number),
  });
  const before = await stored();
  expect(before).toHaveLength(1);
  await roundTrip(large);
  expect(await stored()).toEqual(before);
});

test('a large payload that was altered or lost is one clear error', async () => {
  const { encoded } = await roundTrip(randomBytes(2 * LARGE).toString('hex'));
  const { sha256 } = JSON.parse(Buffer.from(encoded.data ?? []).toString()) as { sha256: string };
  const path = join(folder, sha256.slice(0, 2), sha256);
  const decode = () =>
    codecOf()
      .decode([encoded])
      .catch((thrown) => thrown.details);
  await writeFile(path, 'other');
  expect(await decode()).toMatchObject({ code: 'payload-missing', why: 'what the store has is not what was put there' });
  await rm(path);
  expect(await decode()).toMatchObject({ code: 'payload-missing', on: sha256 });
});

test('what was written in plain text before is read as it is', async () => {
  expect(await codecOf().decode([payload({ old: true })])).toEqual([payload({ old: true })]);
});

test('turned off, new payloads are plain and encrypted ones still read', async () => {
  const off = codecOf('n', false);
  expect(await off.encode([payload('seen')])).toEqual([payload('seen')]);
  const { encoded } = await roundTrip('hidden');
  expect(readBack((await off.decode([encoded]))[0] as Payload)).toBe('hidden');
});

test('an empty payload as protobufjs makes it comes back empty', async () => {
  const empty = { metadata: { encoding: Buffer.from('binary/null') }, data: [] as unknown as Uint8Array };
  const [decoded] = await codecOf().decode(await codecOf().encode([empty]));
  expect(readBack(decoded as Payload)).toBeUndefined();
});

test('a payload of one namespace does not open in another', async () => {
  const { encoded } = await roundTrip('mine');
  const error = await codecOf('other')
    .decode([encoded])
    .catch((thrown) => thrown);
  expect(error.details.code).toBe('sealed-altered');
});
