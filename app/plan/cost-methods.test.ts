import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import { unreachableError } from '../../core/errors.js';
import { definitionOf } from '../../test/support/definition.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

const definition = definitionOf({
  infra: 'shop',
  provider: 'hetzner',
  servers: [
    { name: 'web', count: 2, plan: 'cx23', zone: 'nbg1' },
    { name: 'hub', plan: 'cx23', zone: 'nbg1', volumes: [{ name: 'data', size: '50GiB', mount: '/data' }] },
    { name: 'desk', provider: 'local', plan: 'small' },
    { name: 'old', plan: 'cx33', zone: 'nbg1' },
  ],
} as never);
const price = (hourly: number, monthly: number) => ({ nbg1: { currency: 'EUR', hourly, monthly } });
const PRICED = {
  plans: [{ name: 'cx23', cores: 2, memoryMiB: 4096, diskGiB: 40, zones: price(0.01, 4) }],
  volumePrices: price(0.0001, 0.05),
};

/** A platform with the infra `shop`. */
function platformOf({
  applied = definition,
  principal = createOwner('ann@desk'),
  answer = async (): Promise<unknown> => PRICED,
}: {
  applied?: unknown;
  principal?: Principal;
  answer?: () => Promise<unknown>;
} = {}) {
  const asked: string[] = [];
  const workflow = {
    getHandle: (id: string) => ({
      async query() {
        if (!id.endsWith('/shop')) throw new WorkflowNotFoundError('not found', id, undefined);
        const servers = { web: { services: {} } };
        return {
          workspace: 'default',
          infra: 'shop',
          uuid: 'u',
          servers,
          networks: {},
          ...(applied ? { definition: applied } : {}),
        };
      },
    }),
    execute: async (name: string, { args }: { args: [{ provider: string; topic: string }] }) => {
      asked.push(`${name} ${args[0].provider} ${args[0].topic}`);
      return answer();
    },
  };
  const engine = { temporal: { workflow }, stores: {}, taskQueue: 'q' } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal, checksAnswers: true });
  return { asked, costs: clientOver({ ...dispatcher, close: async () => {} }).costs };
}

const SHOP = { workspace: 'default', infra: 'shop' };

test('servers are added up, those without a price are counted, and each account is asked once', async () => {
  const { costs, asked } = platformOf();
  const { infra, servers, sums, unknown } = await costs.estimate(SHOP);
  expect([infra, unknown, asked]).toEqual(['shop', 1, ['ask hetzner plans']]);
  expect(sums).toEqual([{ currency: 'EUR', hourly: 0.035, monthly: 14.5 }]);
  expect(servers).toMatchObject([
    { server: 'web-1', plan: 'cx23', cost: { monthly: 4 } },
    { server: 'web-2', plan: 'cx23', cost: { monthly: 4 } },
    { server: 'hub', cost: { monthly: 6.5 }, parts: [{ what: 'plan' }, { what: 'volumes', monthly: 2.5 }] },
    { server: 'desk', provider: 'local', free: true },
    { server: 'old', unknown: 'the price list has no plan "cx33"' },
  ]);
});

test('prices of an account that the caller may not ask, or that does not answer, are unknown with the reason', async () => {
  const may: Principal['may'] = (action) => action === 'infra:read';
  const refused = platformOf({ principal: { actor: 'eve@desk', owner: true, may } });
  expect(await refused.costs.estimate(SHOP)).toMatchObject({
    servers: [{ server: 'web-1', unknown: 'eve@desk may not ask hetzner for prices' }, {}, {}, { server: 'desk', free: true }, {}],
    sums: [],
    unknown: 4,
  });
  expect(refused.asked).toEqual([]);
  const away = unreachableError({ code: 'provider-unreachable', what: 'ask', on: 'hetzner', why: 'it does not answer' });
  const silent = platformOf({ answer: () => Promise.reject(away) });
  expect((await silent.costs.estimate(SHOP)).servers[0]).toMatchObject({ unknown: 'it does not answer' });
});

test('an infra that does not exist, or has no definition, is refused', async () => {
  const { costs } = platformOf();
  await expect(costs.estimate({ ...SHOP, infra: 'other' })).rejects.toMatchObject({ details: { code: 'unknown-infra' } });
  const bare = platformOf({ applied: '' });
  await expect(bare.costs.estimate(SHOP)).rejects.toMatchObject({ details: { code: 'nothing-applied' } });
  expect(bare.asked).toEqual([]);
});

test('an estimate needs the permission to read the infra', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id }) => asked.push([action, type, id]) < 0;
  const { costs } = platformOf({ principal: { actor: 'eve@desk', owner: true, may } });
  await expect(costs.estimate(SHOP)).rejects.toMatchObject({ details: { code: 'forbidden' } });
  expect(asked).toEqual([['infra:read', 'Infra', 'default/shop']]);
});
