import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DemoStore } from './store.js';

const folder = mkdtempSync(join(tmpdir(), 'provisioning-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the store of a demo account', () => {
  it('loses no change of two that write at once', async () => {
    const path = join(folder, 'two.json');
    const stores = [new DemoStore(path), new DemoStore(path)];
    const count = (store: DemoStore) => store.change((state) => ++state.window.calls);
    const numbers = await Promise.all(Array.from({ length: 100 }, (_, index) => count(stores[index % 2] as DemoStore)));
    expect(new Set(numbers).size).toBe(100);
    for (const store of stores) expect((await store.read()).window.calls).toBe(100);
  });

  it('keeps the changes beside one that is refused', async () => {
    const store = new DemoStore(join(folder, 'refused.json'));
    const refused = store.change(() => {
      throw new Error('no');
    });
    const kept = store.change((state) => {
      state.window.calls = 7;
    });
    await expect(refused).rejects.toThrow('no');
    await kept;
    expect((await new DemoStore(store.path).read()).window.calls).toBe(7);
  });

  it('says so when its file cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const store = new DemoStore(join(folder, 'file', 'account.json'));
    await expect(store.change(() => 1)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  it('begins with the settings it was given', async () => {
    const store = new DemoStore(join(folder, 'new.json'), { latencyMs: { '*': 5 }, failures: [], unhealthy: [], limits: {} });
    expect((await store.read()).settings.latencyMs).toEqual({ '*': 5 });
  });
});
