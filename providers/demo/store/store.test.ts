import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { note } from './state.js';
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

  it('writes a change as a line, and reads the same from the file', async () => {
    const store = new DemoStore(join(folder, 'lines.json'));
    const add = (name: string) =>
      store.edit((state, touch) => {
        touch('networks', name);
        state.networks[name] = { name, scope: { workspace: 'w', infra: 'i', uuid: 'u' }, key: name };
        note(state, 'networks.create', name, name);
      });
    await add('one');
    const other = new DemoStore(store.path);
    expect(Object.keys((await other.read()).networks)).toEqual(['one']);
    await Promise.all(Array.from({ length: 50 }, (_, index) => add(`n${index}`)));
    await store.edit((state, touch) => {
      touch('networks', 'n0');
      delete state.networks.n0;
    });
    expect(readFileSync(store.path, 'utf8').split('\n').length).toBeGreaterThan(2);
    const fresh = await new DemoStore(store.path).read();
    expect(Object.keys(fresh.networks)).toHaveLength(50);
    expect(fresh).toEqual(await store.read());
    expect(await other.read()).toEqual(fresh);
  });

  it('passes over the line that a killed process left unfinished', async () => {
    const store = new DemoStore(join(folder, 'torn.json'));
    const count = (of: DemoStore) =>
      of.edit((state, touch) => {
        touch('account');
        return ++state.window.calls;
      });
    await count(store);
    await count(store);
    appendFileSync(store.path, '{"account":{"window":{"since":0,"ca');
    const next = new DemoStore(store.path);
    expect((await next.read()).window.calls).toBe(2);
    expect(await count(next)).toBe(3);
    expect((await store.read()).window.calls).toBe(3);
    expect((await new DemoStore(store.path).read()).window.calls).toBe(3);
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
