import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { payloadFiles } from './payload-files.js';

test('a payload that was used since is not moved, so that who reads it meanwhile finds it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'payload-files-'));
  const store = payloadFiles(root);
  const sha256 = 'a'.repeat(64);
  await store.put(sha256, Buffer.from('bytes'));
  // Moved away and back, a file has another time of its last change.
  const changed = async () => (await stat(join(root, 'aa', sha256), { bigint: true })).ctimeNs;
  const before = await changed();
  expect(await store.remove(sha256, new Date(Date.now() - 60_000))).toBe(false);
  expect(await changed()).toBe(before);
  await rm(root, { recursive: true });
});
