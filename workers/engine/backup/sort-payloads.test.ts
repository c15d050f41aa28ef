import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cipher, createCipher } from '../../../encryption/cipher.js';
import { loadKeyring } from '../../../encryption/keyring.js';
import { LARGE, payloadCodec, referenceIn } from '../../../encryption/payload-codec.js';
import type { PayloadStore } from '../../../encryption/payload-store.js';
import { payloadFiles } from '../../../stores/files/payload-files.js';
import { sortPayloads } from './sort-payloads.js';

let folder: string;
let store: PayloadStore;
let cipher: Cipher;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sort-payloads-'));
  store = payloadFiles(folder);
  const key = { id: 'k1', secret: createSecretKey(randomBytes(32)), source: 'a test' };
  cipher = createCipher(await loadKeyring(async () => [key]));
});
afterAll(() => rm(folder, { recursive: true }));

/** Puts a large payload, as a worker of this namespace does; answers its hash. */
async function put(namespace: string): Promise<string> {
  const payload = defaultPayloadConverter.toPayload(randomBytes(LARGE).toString('hex')) as Payload;
  const place = { type: 'workflow', namespace, workflowId: 'infra/default/shop' } as const;
  const [encoded] = await payloadCodec({ cipher, store, namespace }).encode([payload], place);
  return (await referenceIn(encoded as Payload, cipher, namespace)) as string;
}

const later = () => new Date(Date.now() + 60_000);
const asked = (referred: string[], before: Date) => ({ referred: new Set(referred), before, cipher, namespace: 'ours' });

test('only what nothing refers to, is not young, and was sealed for the namespace is removed', async () => {
  const [kept, garbage, foreign] = [await put('ours'), await put('ours'), await put('theirs')];
  const sorted = await sortPayloads(store, asked([kept, 'f'.repeat(64)], later()));
  expect(sorted.remove.map(({ sha256 }) => sha256)).toEqual([garbage]);
  expect([sorted.garbage.count, sorted.young.count, sorted.foreign.count]).toEqual([1, 0, 1]);
  expect(sorted.garbage.bytes).toBeGreaterThan(LARGE);
  expect(sorted.missing).toEqual(['f'.repeat(64)]);

  const young = await sortPayloads(store, asked([kept], new Date(0)));
  expect([young.remove, young.young.count]).toEqual([[], 2]);
  expect((await store.get(foreign))?.length).toBeGreaterThan(LARGE);
});

test('what goes away while it is looked at, and what cannot be read, is left alone', async () => {
  const gone: PayloadStore = { ...store, get: async () => undefined };
  expect((await sortPayloads(gone, asked([], later()))).remove).toEqual([]);
  const broken: PayloadStore = {
    ...store,
    get: async () => {
      throw new Error('the disk does not answer');
    },
  };
  await expect(sortPayloads(broken, asked([], later()))).rejects.toThrow('the disk does not answer');
});

test('at most twenty missing payloads are named', async () => {
  const names = Array.from({ length: 25 }, (_, index) => String(index).padStart(64, 'e'));
  expect((await sortPayloads(store, asked(names, later()))).missing).toHaveLength(20);
});
