import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { TwoStores } from './two-stores.js';

export function payloadsContract(stores: () => TwoStores): void {
  test('a payload is kept once, byte by byte', async () => {
    const { one, two } = stores();
    const bytes = randomBytes(600_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await two.payloads.get(sha256)).toBeUndefined();
    await Promise.all([one.payloads.put(sha256, bytes), two.payloads.put(sha256, new Uint8Array(bytes))]);
    expect(Buffer.compare((await two.payloads.get(sha256)) ?? Buffer.of(), bytes)).toBe(0);
  });

  test('says how much it holds', async () => {
    const { one, two } = stores();
    const before = { payloads: await one.payloads.size(), pages: await one.blobs.size() };
    const bytes = randomBytes(300_000);
    for (const store of [one, two]) await store.payloads.put(createHash('sha256').update(bytes).digest('hex'), bytes);
    const page = randomBytes(1_000).toString('hex');
    for (const store of [one, two]) await store.blobs.put(page);
    const { count, bytes: held } = before.payloads;
    expect(await two.payloads.size()).toEqual({ count: count + 1, bytes: held + bytes.length });
    const pages = await two.blobs.size();
    expect(pages.count).toBe(before.pages.count + 1);
    // Pages may be sealed.
    expect(pages.bytes - before.pages.bytes).toBeGreaterThanOrEqual(page.length);
  });

  test('a payload is removed unless it was put since, and can be put again', async () => {
    const { one, two } = stores();
    const bytes = randomBytes(300_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await one.payloads.put(sha256, bytes);
    const listed = async () => {
      for await (const payload of two.payloads.list()) if (payload.sha256 === sha256) return payload;
      return undefined;
    };
    const found = await listed();
    expect(found).toMatchObject({ sha256, bytes: bytes.length });
    const used = found?.used.getTime() ?? 0;
    expect(await two.payloads.remove(sha256, new Date(used))).toBe(false);
    expect(await one.payloads.get(sha256)).toBeDefined();
    expect(await two.payloads.remove(sha256, new Date(used + 60_000))).toBe(true);
    expect([await one.payloads.get(sha256), await listed()]).toEqual([undefined, undefined]);
    expect(await two.payloads.remove(sha256, new Date(used + 60_000))).toBe(false);
    await one.payloads.put(sha256, bytes);
    expect(Buffer.compare((await two.payloads.get(sha256)) ?? Buffer.of(), bytes)).toBe(0);
  });

  test('a page is found by its address', async () => {
    const { one, two } = stores();
    const address = await one.blobs.put('ä page');
    expect(await two.blobs.put('ä page')).toBe(address);
    expect(await two.blobs.get(address)).toBe('ä page');
    await expect(two.blobs.get('0'.repeat(64))).rejects.toMatchObject({ details: { code: 'blob-missing' } });
  });
}
