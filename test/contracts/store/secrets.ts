import { expect, test } from 'vitest';
import type { ScopedSecrets } from '../../../stores/secrets.js';
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

  test('each value is a version, of which the newest is in use and ten are kept', async () => {
    const { one, two } = stores();
    const began = Date.now();
    for (const scope of [undefined, { workspace: 'w' }, { workspace: 'w', infra: 'shop' }]) {
      const [a, b] = [one, two].map(({ secrets }) => (scope ? secrets.within(scope) : secrets)) as [ScopedSecrets, ScopedSecrets];
      expect([await a.history('old'), await a.version('old', 1)]).toEqual([[], undefined]);
      await a.set('old', 'value 1', { by: 'ada', how: 'secret set' });
      await b.set('old', 'value 2', { by: 'bob', how: 'rolled back to 1', recipe: { generate: 'password', length: 20 } });
      // Setting the current value does not create a version.
      await a.set('old', 'value 2', { by: 'eve', how: 'secret set' });
      const history = await b.history('old');
      expect(history).toEqual([
        {
          version: 2,
          at: expect.any(String),
          by: 'bob',
          how: 'rolled back to 1',
          recipe: { generate: 'password', length: 20 },
        },
        { version: 1, at: expect.any(String), by: 'ada', how: 'secret set' },
      ]);
      for (const { at } of history) expect(Date.parse(at)).toBeGreaterThanOrEqual(began - 1_000);
      expect([await a.version('old', 1), await b.version('old', 2), await a.version('old', 3)]).toEqual([
        'value 1',
        'value 2',
        undefined,
      ]);
      for (let number = 3; number <= 13; number++) await (number % 2 ? a : b).set('old', `value ${number}`);
      expect((await a.history('old')).map(({ version }) => version)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
      expect([await a.get('old'), await b.version('old', 4), await b.version('old', 3)]).toEqual([
        'value 13',
        'value 4',
        undefined,
      ]);
      expect(await b.delete('old')).toBe(true);
      expect([await a.get('old'), await a.history('old'), await a.version('old', 12)]).toEqual([undefined, [], undefined]);
      await a.set('old', 'again');
      expect((await a.history('old')).map(({ version }) => version)).toEqual([1]);
      expect([await b.version('old', 12), await b.delete('old')]).toEqual([undefined, true]);
    }
  });

  test('of all who set a secret at once, each makes a version', async () => {
    const { one, two } = stores();
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? one : two).secrets.set('raced', `value ${index}`, { by: `${index}`, how: '' }),
      ),
    );
    const history = await one.secrets.history('raced');
    expect(history.map(({ version }) => version)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    for (const { version, by } of history) expect(await two.secrets.version('raced', version)).toBe(`value ${by}`);
    expect(await two.secrets.get('raced')).toBe(`value ${history[0]?.by}`);
    await one.secrets.delete('raced');
  });

  test('who was given a secret is kept, of its scope alone and after it is deleted', async () => {
    const { one, two } = stores();
    const read = (by: string) => ({ at: '2026-01-05T08:00:00.000Z', by, how: 'operation' as const, host: 'web-1', infra: 'shop' });
    await one.secrets.within({ workspace: 'w' }).set('read', 'x');
    await one.secrets.within({ workspace: 'w' }).noteRead('read', read('first'));
    await two.secrets.within({ workspace: 'w' }).noteRead('read', read('second'));
    await two.secrets.noteRead('read', { at: '2026-01-05T08:00:00.000Z', by: 'ada', how: 'secret get' });
    await one.secrets.within({ workspace: 'w' }).delete('read');
    expect(await two.secrets.within({ workspace: 'w' }).reads('read')).toEqual([read('first'), read('second')]);
    expect((await one.secrets.reads('read')).map(({ by }) => by)).toEqual(['ada']);
    expect(await one.secrets.within({ workspace: 'v' }).reads('read')).toEqual([]);
    await expect(one.secrets.noteRead('../x', read('x'))).rejects.toMatchObject({ details: { code: 'secret-name' } });
  });

  test('a generated secret is made once', async () => {
    const { one, two } = stores();
    const name = 'generated/w/shop/redis.password';
    const asked = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).secrets.ensureGenerated(name));
    const made = new Set(await Promise.all(asked));
    expect(made.size).toBe(1);
    expect([...made][0]).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(await one.secrets.history(name)).toEqual([
      { version: 1, at: expect.any(String), by: '', how: 'generated', recipe: { generate: 'password' } },
    ]);
  });
}
