import { expect, test } from 'vitest';
import { unreachableError } from '../../core/errors.js';
import type { OwnedThing } from '../../core/machine/provider.js';
import { sweep } from './sweep.js';

const scope = { workspace: 'acceptance', infra: 'i', uuid: 'u' };
const away = () => unreachableError({ code: 'provider-unreachable', what: 'ask the provider', why: 'it does not answer' });
const never = () => new Promise<never>(() => {});

type Trouble = 'fails' | 'hangs';

/**
 * An account with these resources. Calls fail or hang the given number of times, by `owned` or by the deleted
 * resource.
 */
function account(things: string[], troubles: Record<string, [Trouble, number]> = {}) {
  const exists = new Map(
    things.map((words, index) => {
      const [kind, name] = words.split(' ') as [OwnedThing['kind'], string];
      return [words, { kind, name, id: String(index + 1), scope } as OwnedThing];
    }),
  );
  const calls: string[] = [];
  const call = async (what: string) => {
    calls.push(what);
    const trouble = troubles[what];
    if (!trouble || trouble[1]-- <= 0) return;
    if (trouble[0] === 'hangs') await never();
    throw away();
  };
  const gone = (kind: string) => async (name: string) => {
    // A network with servers cannot be deleted.
    if (kind === 'network' && [...exists.keys()].some((words) => words.startsWith('server'))) throw new Error('it is in use');
    await call(`${kind} ${name}`);
    exists.delete(`${kind} ${name}`);
  };
  const connection = {
    owned: async () => {
      await call('owned');
      return [...exists.values()];
    },
    servers: { delete: gone('server') },
    volumes: { delete: gone('volume') },
    networks: { delete: gone('network') },
    others: { delete: (kind: string, name: string) => gone(kind)(name) },
  } as unknown as Parameters<typeof sweep>[0];
  return { connection, calls, exists };
}

const HOW = { provider: 'hetzner', callMs: 50, forMs: 5_000, firstMs: 1 };
const ALL = ['network default', 'server web-1', 'volume web-1/data', 'address web-1', 'server web-2'];

test('deletes all, servers first, and what others use last', async () => {
  const { connection, calls, exists } = account(ALL);
  expect(await sweep(connection, HOW)).toEqual({ removed: expect.arrayContaining(ALL), left: [] });
  expect([...exists.keys()]).toEqual([]);
  expect(calls).toEqual([
    'owned',
    'server web-1',
    'server web-2',
    'volume web-1/data',
    'address web-1',
    'network default',
    'owned',
  ]);
});

test.each<[string, Record<string, [Trouble, number]>]>([
  ['the list fails', { owned: ['fails', 3] }],
  ['the list hangs', { owned: ['hangs', 2] }],
  ['a deletion fails', { 'server web-1': ['fails', 3] }],
  ['a deletion hangs', { 'server web-1': ['hangs', 2] }],
  ['all fail in turn', Object.fromEntries([...ALL, 'owned'].map((one) => [one, ['fails', 2] as [Trouble, number]]))],
])('%s a few times: nothing is left', async (_, troubles) => {
  const { connection, exists } = account(ALL, troubles);
  const said: string[] = [];
  const swept = await sweep(connection, { ...HOW, say: (text) => said.push(text) });
  expect(swept).toEqual({ removed: expect.arrayContaining(ALL), left: [] });
  expect([...exists.keys()]).toEqual([]);
  expect(said[0]).toMatch(/^tries again in 1 s: .*(does not answer|no answer within)/);
});

test('names what is left, why, and how it is removed; the others are gone', async () => {
  const { connection, exists } = account(ALL, { 'server web-1': ['fails', 1_000] });
  const { removed, left, hint } = await sweep(connection, { ...HOW, forMs: 100 });
  expect([...exists.keys()]).toEqual(['network default', 'server web-1']);
  expect(removed.sort()).toEqual(['address web-1', 'server web-2', 'volume web-1/data']);
  expect(left.sort()).toEqual([
    'network default (id 1): it is in use',
    expect.stringMatching(/^server web-1 \(id 2\): .*does not answer/),
  ]);
  expect(hint).toContain('npm run acceptance -- hetzner --sweep');
});

test('a list that never comes is no success', async () => {
  const { connection } = account(ALL, { owned: ['hangs', 1_000] });
  const { left, hint } = await sweep(connection, { ...HOW, callMs: 10, forMs: 50 });
  expect(left).toEqual(['what is left cannot be listed: no answer within 0.01 s']);
  expect(hint).toContain('costs money');
});
