import { expect, test } from 'vitest';
import { judgeQuota } from './judge-quota.js';
import { readInfraAfter, readWorkspaceUse, type UseReader } from './workspace-use.js';

const infra = (name: string, servers: number, amount?: number) => ({
  ...{ workspace: 'default', infra: name, servers },
  ...(amount !== undefined && { amount }),
});
const claim = (id: string, weight: number, ...infras: ReturnType<typeof infra>[]) => ({ id, at: '', weight, infras });
const quota = { workspace: 'default', operations: 2, servers: 4, monthly: { amount: 50, currency: 'EUR' } };

test('what runs claims its servers before they are there, and none twice', () => {
  const uses = [infra('shop', 2, 20), infra('blog', 1, 10)];
  const claims = [claim('a', 1, infra('blog', 2, 20))];
  expect(judgeQuota(quota, claims, uses)).toEqual([
    { workspace: 'default', of: 'operations', limit: 2, used: 1 },
    { workspace: 'default', of: 'servers', limit: 4, used: 4 },
    { workspace: 'default', of: 'monthly cost', limit: 50, used: 40, currency: 'EUR' },
  ]);
});

test('a change that takes more than is left is too much', () => {
  const uses = [infra('shop', 2, 20), infra('blog', 1, 10)];
  const more = judgeQuota(quota, [claim('a', 2)], uses, { weight: 1, infras: [infra('shop', 4, 45)] });
  expect(more.map(({ of, after, exceeded }) => [of, after, exceeded])).toEqual([
    ['operations', 3, true],
    ['servers', 5, true],
    ['monthly cost', 55, true],
  ]);
});

test('what is over its quota may be changed, as long as it takes no more', () => {
  const uses = [infra('shop', 9, 90)];
  const judged = judgeQuota(quota, [], uses, { weight: 1, infras: [infra('shop', 9, 90)] });
  expect(judged.some(({ exceeded }) => exceeded)).toBe(false);
});

const server = (name: string) => ({ name, provider: 'demo', plan: { name: 'small' } }) as never;
const reader: UseReader = {
  infras: async (workspace) => [{ workspace, infra: 'shop' }],
  inventory: async () => ({ servers: { a: { spec: server('a') }, b: { spec: server('b') } } as never }),
  prices: async () => (one) => ({
    ...{ server: one.name, provider: 'demo', plan: 'small' },
    ...(one.name === 'free' ? { free: true as const } : { cost: { currency: 'EUR', hourly: 0, monthly: 10 }, parts: [] }),
  }),
};
const wanted = (servers: string[], more: object = {}) =>
  readInfraAfter(
    reader,
    { workspace: 'default', infra: 'shop', verb: 'ensure', definition: { servers: servers.map(server) } as never, ...more },
    'EUR',
  );

test('an infra has what its definition says, and what stays beside it', async () => {
  expect(await readWorkspaceUse(reader, { tenant: '', workspace: 'default' }, 'EUR')).toEqual([infra('shop', 2, 20)]);
  expect(await readWorkspaceUse(reader, { tenant: '', workspace: 'default' }, 'USD')).toEqual([infra('shop', 2, 0)]);
  expect(await readWorkspaceUse(reader, { tenant: '', workspace: 'default' })).toEqual([infra('shop', 2)]);
  expect(await wanted(['a', 'c', 'free'])).toEqual(infra('shop', 4, 30));
  expect(await wanted(['a', 'c'], { prune: true })).toEqual(infra('shop', 2, 20));
  expect(await wanted(['a', 'c', 'd'], { servers: ['c'], prune: true })).toEqual(infra('shop', 3, 30));
  expect(await wanted(['a', 'c'], { verb: 'delete' })).toBeUndefined();
});
