import { expect, test } from 'vitest';
import type { TwoStores } from './two-stores.js';

export function secretsContract(stores: () => TwoStores): void {
  test('secrets are set, read by the other, listed and deleted', async () => {
    const { one, two } = stores();
    expect(await two.secrets.get('db/password')).toBeUndefined();
    await one.secrets.set('db/password', 'first');
    await one.secrets.set('db/password', 'zwei\n€');
    expect(await two.secrets.get('db/password')).toBe('zwei\n€');
    expect(await two.secrets.list()).toEqual(['db/password']);
    expect(await two.secrets.delete('db/password')).toBe(true);
    expect(await one.secrets.delete('db/password')).toBe(false);
    expect(await one.secrets.list()).toEqual([]);
    await expect(one.secrets.set('../x', 'v')).rejects.toMatchObject({ details: { code: 'secret-name' } });
    await expect(one.secrets.get('a b')).rejects.toMatchObject({ details: { code: 'secret-name' } });
  });

  test('secrets of a workspace and of an infra are no others', async () => {
    const { one, two } = stores();
    const [infra, workspace] = [{ workspace: 'w', infra: 'shop' }, { workspace: 'w' }];
    await one.secrets.within(infra).set('pw', 'narrow');
    await two.secrets.within(workspace).set('pw', 'first');
    await one.secrets.within(workspace).set('pw', 'wide');
    expect(await two.secrets.within(infra).get('pw')).toBe('narrow');
    expect(await two.secrets.within(workspace).get('pw')).toBe('wide');
    expect(await two.secrets.get('pw')).toBeUndefined();
    for (const other of [{ workspace: 'v' }, { workspace: 'w', infra: 'other' }, { workspace: 'v', infra: 'shop' }])
      expect(await one.secrets.within(other).get('pw')).toBeUndefined();
    expect(await two.secrets.listScoped('w')).toEqual([{ name: 'pw' }, { name: 'pw', infra: 'shop' }]);
    expect(await two.secrets.listScoped('v')).toEqual([]);
    expect(await one.secrets.within(infra).delete('pw')).toBe(true);
    expect(await two.secrets.within(infra).delete('pw')).toBe(false);
    expect(await two.secrets.within(workspace).get('pw')).toBe('wide');
    expect(await one.secrets.within(workspace).delete('pw')).toBe(true);
    expect(() => one.secrets.within({ workspace: '../x' })).toThrow('find the secrets');
  });

  test('a generated secret is made once', async () => {
    const { one, two } = stores();
    const name = 'generated/w/shop/redis.password';
    const asked = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).secrets.ensureGenerated(name));
    const made = new Set(await Promise.all(asked));
    expect(made.size).toBe(1);
    expect([...made][0]).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });
}
