import { expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner } from '../principal.js';

/** @param describe answers for the Worker Deployment */
function fleetOfService(describe: () => Promise<unknown>, deployment?: string) {
  const queries: string[] = [];
  const workflowService = {
    describeWorkerDeployment: describe,
    async countWorkflowExecutions({ namespace, query }: { namespace: string; query: string }) {
      queries.push(`${namespace}: ${query}`);
      return { count: query.includes(':old') ? 3 : 0 };
    },
  };
  const temporal = { options: { namespace: 'n' }, connection: { workflowService } };
  const engine = { temporal, stores: {}, ...(deployment && { deployment }) } as unknown as Engine;
  const { fleet } = clientOver({
    ...createDispatcher({ engine, principal: createOwner('ann@desk'), checksAnswers: true }),
    close: async () => {},
  });
  return { fleet, queries };
}

test('the versions of a fleet are listed with their operations, newest first', async () => {
  const version = (buildId: string, status: number, seconds: number) => ({
    ...{ deploymentVersion: { buildId }, status, createTime: { seconds } },
  });
  const versionSummaries = [version('old', 4, 1_000), version('new', 3, 2_000)];
  const answer = { workerDeploymentInfo: { versionSummaries, routingConfig: { rampingVersionPercentage: 10 } } };
  const { fleet, queries } = fleetOfService(async () => answer, 'shop');
  expect(await fleet.status({})).toEqual({
    deployment: 'shop',
    versions: [
      { build: 'new', state: 'ramping', percent: 10, operations: 0, since: '1970-01-01T00:33:20.000Z' },
      { build: 'old', state: 'draining', operations: 3, since: '1970-01-01T00:16:40.000Z' },
    ],
  });
  expect(queries).toHaveLength(2);
  expect(queries[0]).toContain("n: TemporalWorkerDeploymentVersion = 'shop:new'");
});

test('workers without versions are no fleet; a fleet that no worker has joined has no versions', async () => {
  const absent = () => Promise.reject(Object.assign(new Error('not found'), { code: 5 }));
  await expect(fleetOfService(absent).fleet.status({})).rejects.toMatchObject({ details: { code: 'no-fleet' } });
  expect(await fleetOfService(absent, 'shop').fleet.status({})).toEqual({ deployment: 'shop', versions: [] });
});

test('a service that is away is an error of the engine, which can be asked again', async () => {
  const away = () => Promise.reject(Object.assign(new Error('14 UNAVAILABLE'), { code: 14 }));
  await expect(fleetOfService(away, 'shop').fleet.status({})).rejects.toMatchObject({ details: { blame: 'weather' } });
});
