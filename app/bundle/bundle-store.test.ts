import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bundle } from '../../core/definition/bundle.js';
import { LIMITS } from '../../core/limits.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import { blobFiles } from '../../stores/files/blob-files.js';
import { bundle as schema } from '../schemas/bundle.js';
import { fileOfBundle, putBundle, readBundle } from './bundle-store.js';

let folder: string;
let blobs: Parameters<typeof putBundle>[0];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  // Emulates sealing: the first byte marks sealed data.
  blobs = blobFiles(folder, async () => ({
    seal: (plain) => Buffer.concat([Uint8Array.of(1), plain]),
    open: async (sealed) => Buffer.from(sealed.subarray(1)),
  }));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TEXTS = { 'infra/shop.yaml': 'infra: shop\n', 'common.yaml': 'protect: true\n' };
const bundleWith = (texts: Record<string, string>, more: Partial<Bundle> = {}): Bundle => ({
  ...{ workspace: 'one', infra: 'shop', definition: 'a'.repeat(64), main: 'infra/shop.yaml' },
  files: Object.entries(texts).map(([path, text]) => ({ path, address: addressOfFile('one', text), size: text.length })),
  ...more,
});
const byAddress = (texts: Record<string, string>) =>
  Object.fromEntries(Object.values(texts).map((text) => [addressOfFile('one', text), text]));

describe('a bundle', () => {
  test('is kept once its files are there, each of which is brought once', async () => {
    const bundle = bundleWith(TEXTS);
    const asked = await putBundle(blobs, bundle, {});
    expect(asked).toEqual({ missing: Object.keys(byAddress(TEXTS)) });
    const { bundle: address = '', missing } = await putBundle(blobs, bundle, byAddress(TEXTS));
    expect([address, missing]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), []]);
    expect(await putBundle(blobs, bundle, {})).toEqual({ bundle: address, missing: [] });
    expect(await readBundle(blobs, bundle, address)).toEqual(bundle);
    expect(await fileOfBundle(blobs, bundle, address, 'common.yaml')).toBe('protect: true\n');
    const changed = { ...TEXTS, 'common.yaml': 'protect: false\n' };
    expect((await putBundle(blobs, bundleWith(changed), {})).missing).toEqual([addressOfFile('one', 'protect: false\n')]);
  });

  test('is told to nobody of another infra or workspace, and neither are its files', async () => {
    const { bundle: address = '' } = await putBundle(blobs, bundleWith(TEXTS), byAddress(TEXTS));
    const unknown = { details: { code: 'unknown-bundle' } };
    for (const place of [
      { workspace: 'one', infra: 'other' },
      { workspace: 'two', infra: 'shop' },
    ])
      await expect(readBundle(blobs, place, address)).rejects.toMatchObject(unknown);
    await expect(readBundle(blobs, bundleWith(TEXTS), addressOfFile('one', 'infra: shop\n'))).rejects.toMatchObject(unknown);
    // A caller that lists an address of another workspace reads nothing.
    const theirs = bundleWith(TEXTS, { workspace: 'two' });
    const { bundle: stolen = '' } = await putBundle(blobs, theirs, {});
    await expect(fileOfBundle(blobs, theirs, stolen, 'common.yaml')).rejects.toMatchObject(unknown);
  });

  test('has the texts that it says, paths that stay in a folder, and a size', async () => {
    const refused = (bundle: Bundle, texts: Record<string, string>, code: string) =>
      expect(putBundle(blobs, bundle, texts)).rejects.toMatchObject({ details: { code } });
    const bundle = bundleWith(TEXTS);
    const [first = '', second = ''] = Object.keys(byAddress(TEXTS));
    await refused(bundle, { [first]: 'another text' }, 'bad-bundle');
    await refused(bundleWith({ 'infra/shop.yaml': 'x' }), { [second]: TEXTS['common.yaml'] }, 'bad-bundle');
    await refused({ ...bundle, main: 'nope.yaml' }, {}, 'bad-bundle');
    await refused({ ...bundle, files: [...bundle.files, ...bundle.files] }, {}, 'bad-bundle');
    await refused({ ...bundle, files: bundle.files.map((file) => ({ ...file, size: LIMITS.bundle })) }, {}, 'too-large');
    for (const path of ['../a', '/etc/passwd', 'a/../../b', 'a//b', '.', 'a\\b', 'a\nb', ''])
      expect(schema.safeParse(bundleWith({ [path]: '' }, { main: path })).success).toBe(false);
    expect(schema.safeParse(bundle).success).toBe(true);
  });
});
