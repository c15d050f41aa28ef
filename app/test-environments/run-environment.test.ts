import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import type { HostStatus } from '../../core/operation/host-status.js';
import { failure } from '../../test/support/secret-client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

const WORKSPACE = 'test-environments-of-default';
const environment = {
  ...{ workspace: WORKSPACE, infra: 'redis-1', actor: 'ann@desk', type: 'single', about: 'redis' },
  ...{ created: '2026-11-29T10:00:00.000Z', expires: '2026-11-29T11:00:00.000Z' },
};
const inventory = { workspace: WORKSPACE, infra: 'redis-1', uuid: 'u', networks: {}, servers: { a: { name: 'a', services: {} } } };

/** Creates a platform with one test environment, whose hosts give these answers. */
function platform(hosts: HostStatus[], principal: Principal = createOwner('ann@desk')) {
  const asked: unknown[] = [];
  const workflow = {
    getHandle: (id: string) => ({
      describe: async () => {
        if (id.endsWith('/gone')) throw new WorkflowNotFoundError('not found', id, undefined);
        return { status: { name: id.endsWith('/ended') ? 'COMPLETED' : 'RUNNING' } };
      },
      query: async (name: string) => (name === 'environment' ? environment : inventory),
    }),
    execute: async (type: string, { args }: { args: unknown[] }) => {
      asked.push([type, args[0]]);
      return { hosts };
    },
  };
  const workflowService = { listWorkflowExecutions: async () => ({ executions: [] }) };
  const temporal = { options: { namespace: 'n' }, workflowService, workflow };
  const engine = { temporal, stores: {}, taskQueue: 'q' } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal, checksAnswers: true });
  return { asked, client: clientOver({ ...dispatcher, close: async () => {} }) };
}

const wish = { workspace: 'default', infra: 'redis-1', withinMs: 5_000 };

test('each service has two checks, whose results follow from what its host answers', async () => {
  const { client, asked } = platform([
    {
      server: 'a',
      services: [
        { taskserv: 'nginx', state: 'differs', steps: ['write the page'] },
        { taskserv: 'redis', state: 'healthy' },
        { taskserv: 'vault', state: 'unhealthy', why: 'it is sealed' },
      ],
    },
  ]);
  const { passed, tests, environment: found } = await client.testEnvironments.run(wish);
  expect(tests.map(({ name, status, why }) => [name, status, why])).toEqual([
    ['nginx is healthy', 'passed', undefined],
    ['nginx needs no further change', 'failed', 'a second run would change more: write the page'],
    ['redis is healthy', 'passed', undefined],
    ['redis needs no further change', 'passed', undefined],
    ['vault is healthy', 'failed', 'unhealthy: it is sealed'],
    ['vault needs no further change', 'skipped', 'the service is not healthy'],
  ]);
  expect([passed, found.about]).toEqual([false, 'redis']);
  const hosts = { withinMs: 5_000 };
  expect(asked).toEqual([['refresh', { workspace: WORKSPACE, infra: 'redis-1', actor: 'ann@desk', hosts, clouds: false }]]);
});

test('it passes if all services are as they were left, and looks at the servers that are named', async () => {
  const { client, asked } = platform([{ server: 'a', services: [{ taskserv: 'redis', state: 'healthy' }] }]);
  expect((await client.testEnvironments.run({ ...wish, servers: ['a'] })).passed).toBe(true);
  expect(asked).toMatchObject([['refresh', { hosts: { servers: ['a'] } }]]);
});

test('an unknown environment is refused, and so is who may not run it', async () => {
  const { client, asked } = platform([]);
  for (const infra of ['gone', 'ended'])
    await expect(client.testEnvironments.run({ ...wish, infra })).rejects.toMatchObject(failure('unknown-environment'));
  const may: Principal['may'] = (action) => action !== 'test-environment:run';
  const refused = platform([], { actor: 'eve@desk', may }).client;
  await expect(refused.testEnvironments.run(wish)).rejects.toMatchObject(failure('forbidden'));
  expect(asked).toEqual([]);
});
