import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, test } from 'vitest';
import { type Client, clientOver } from '../../client/client.js';
import { registries } from '../../definition/registries/registries.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner } from '../principal.js';

/** Creates a client. Answers are validated by their schemas. */
function clientOf(temporal: unknown = {}): Client {
  const engine = { temporal, stores: {} } as unknown as Engine;
  return clientOver({
    ...createDispatcher({ engine, principal: createOwner('ann@desk'), checksAnswers: true }),
    close: async () => {},
  });
}

test('taskservs are listed, and each is described as its schema says', async () => {
  const { taskservs } = clientOf();
  const listed = await taskservs.list({});
  expect(listed.map(({ name }) => name)).toEqual(Object.keys((await registries()).taskservs).sort());
  expect(listed.find(({ name }) => name === 'postgres')).toMatchObject({ category: 'databases', default: expect.any(String) });
  for (const { name, versions } of listed) {
    const described = await taskservs.show({ taskserv: name });
    expect([described.name, described.versions.supported]).toEqual([name, versions]);
  }
  const { fields } = await taskservs.show({ taskserv: 'redis' });
  expect(fields.find(({ path }) => path === 'password')).toMatchObject({ secret: true });
});

test.each(['postgers', 'constructor', '__proto__'])('%s is no taskserv', async (taskserv) => {
  const { taskservs, schemas } = clientOf();
  const unknown = { details: { code: 'unknown-taskserv' } };
  await expect(taskservs.show({ taskserv })).rejects.toMatchObject(unknown);
  await expect(schemas.get({ of: 'taskserv', taskserv })).rejects.toMatchObject(unknown);
});

test('schemas are those of definitions, of batches and of one taskserv', async () => {
  const { schemas } = clientOf();
  expect(await schemas.get({ of: 'definition' })).toMatchObject({
    properties: { infra: expect.anything(), servers: expect.anything() },
  });
  expect(await schemas.get({ of: 'batch' })).toMatchObject({ title: 'Batch of operations' });
  expect(await schemas.get({ of: 'taskserv', taskserv: 'nginx' })).toMatchObject({ title: 'nginx' });
  for (const bad of [{ of: 'taskserv' as const }, { of: 'batch' as const, taskserv: 'nginx' }])
    await expect(schemas.get(bad)).rejects.toMatchObject({ details: { code: 'bad-request' } });
});

test('providers and templates are listed with what a definition may name', async () => {
  const { providers, templates } = clientOf();
  const listed = await providers.list({});
  expect(listed.map(({ name }) => name)).toEqual(['aws', 'demo', 'hetzner', 'local', 'upcloud']);
  expect(listed.find(({ name }) => name === 'hetzner')).toMatchObject({ sizes: { small: expect.any(String) } });
  const all = await templates.list({});
  expect(all.length).toBeGreaterThan(0);
  expect(all.every(({ description, parameters }) => description !== '' && Array.isArray(parameters))).toBe(true);
});

test('workspaces are those that have infras, without those of test environments', async () => {
  const places = ['default/shop', 'default/hub', 'prod/shop', 'test-environments-of-default/x'];
  const executions = places.map((place) => {
    const [workspace = ''] = place.split('/');
    const indexedFields = { ProvisioningWorkspace: keyword(workspace) };
    return {
      execution: { workflowId: `infra/${place}`, runId: 'r' },
      type: { name: 'infra' },
      ...{ status: 1, startTime: msToTs(1_000), taskQueue: 'q', historyLength: msToTs(1_000).seconds },
      searchAttributes: { indexedFields },
    };
  });
  const { workspaces } = clientOf({
    options: { namespace: 'n' },
    workflowService: { listWorkflowExecutions: async () => ({ executions }) },
  });
  expect(await workspaces.list({})).toEqual([
    { name: 'default', infras: 2 },
    { name: 'prod', infras: 1 },
  ]);
});

const keyword = (value: string) => ({
  metadata: { encoding: Buffer.from('json/plain'), type: Buffer.from('Keyword') },
  data: Buffer.from(JSON.stringify([value])),
});
