import { expect, test } from 'vitest';
import type { TaskservRegistry } from '../../core/registry.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { addWithdrawn } from './registries.js';

test('a taskserv says which of its versions its versions.json withdraws', async () => {
  const { redis, nats } = taskservs as { redis: TaskservRegistry[string]; nats: TaskservRegistry[string] };
  const published = async () => ({
    upstream: { datasource: 'debian', package: 'nats-server' },
    versions: { '2.9': {}, '2.8': { withdrawn: 'it loses streams' } },
  });
  const registry = addWithdrawn({ redis, nats: { ...nats, published } });
  expect((await registry.nats?.load())?.versions).toEqual({ ...nats.versions, withdrawn: { '2.8': 'it loses streams' } });
  expect(await registry.redis?.load()).toBe(await redis.load());
});
