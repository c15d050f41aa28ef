import { expect, test } from 'vitest';
import { clientOver } from '../../client/client.js';
import { createDispatcher } from '../dispatch.js';
import type { Engine } from '../engine.js';
import { createOwner, type Principal } from '../principal.js';

const BUILDS = ['old', 'new'];
const NOT_FOUND = Object.assign(new Error('5 NOT_FOUND'), { code: 5, details: 'no such version' });

interface Asked {
  namespace: string;
  deploymentName: string;
  buildId: string;
  percentage?: number;
}

/** Creates a service whose deployment has two builds, and that routes operations as requested. */
function fleetOfService({
  deployment = 'shop',
  principal = createOwner('ann@desk'),
}: {
  deployment?: string;
  principal?: Principal;
}) {
  const routing: { current: string; ramping?: string; percent?: number } = { current: 'old' };
  const told: Asked[] = [];
  const known = (request: Asked) => {
    told.push(request);
    if (request.buildId !== '' && !BUILDS.includes(request.buildId)) throw NOT_FOUND;
  };
  const stateOf = (build: string) => (build === routing.current ? 2 : build === routing.ramping ? 3 : 1);
  const workflowService = {
    async describeWorkerDeployment() {
      const versionSummaries = BUILDS.map((buildId, made) => ({
        ...{ deploymentVersion: { buildId }, status: stateOf(buildId), createTime: { seconds: made } },
      }));
      return { workerDeploymentInfo: { versionSummaries, routingConfig: { rampingVersionPercentage: routing.percent } } };
    },
    async setWorkerDeploymentCurrentVersion(request: Asked) {
      known(request);
      Object.assign(routing, { current: request.buildId, ramping: undefined });
    },
    async setWorkerDeploymentRampingVersion(request: Asked) {
      known(request);
      Object.assign(routing, { ramping: request.buildId, percent: request.percentage });
    },
    countWorkflowExecutions: async () => ({ count: 0 }),
  };
  const temporal = { options: { namespace: 'n' }, connection: { workflowService } };
  const engine = { temporal, stores: {}, ...(deployment && { deployment }) } as unknown as Engine;
  const dispatcher = createDispatcher({ engine, principal, checksAnswers: true });
  return { told, fleet: clientOver({ ...dispatcher, close: async () => {} }).fleet };
}

const statesOf = ({ versions }: { versions: { build: string; state: string; percent?: number | undefined }[] }) =>
  Object.fromEntries(versions.map(({ build, state, percent }) => [build, percent === undefined ? state : `${state} ${percent}`]));

test('new operations begin on another build, and the fleet is returned as it is then', async () => {
  const { fleet, told } = fleetOfService({});
  expect(statesOf(await fleet.promote({ build: 'new' }))).toEqual({ old: 'inactive', new: 'current' });
  expect(statesOf(await fleet.status({}))).toEqual({ old: 'inactive', new: 'current' });
  expect(told).toEqual([expect.objectContaining({ namespace: 'n', deploymentName: 'shop', buildId: 'new' })]);
});

test('a percentage of new operations begins on another build, until 0 ends that', async () => {
  const { fleet, told } = fleetOfService({});
  expect(statesOf(await fleet.ramp({ build: 'new', percent: 10 }))).toEqual({ old: 'current', new: 'ramping 10' });
  expect(statesOf(await fleet.ramp({ build: 'new', percent: 0 }))).toEqual({ old: 'current', new: 'inactive' });
  expect(told.map(({ buildId, percentage }) => [buildId, percentage])).toEqual([
    ['new', 10],
    ['', 0],
  ]);
});

test('a build that no worker has, a percentage of all, and workers without versions are refused', async () => {
  const { fleet, told } = fleetOfService({});
  const refused = (code: string) => ({ details: { code } });
  await expect(fleet.promote({ build: 'other' })).rejects.toMatchObject(refused('unknown-version'));
  await expect(fleet.ramp({ build: 'other', percent: 10 })).rejects.toMatchObject(refused('unknown-version'));
  expect(statesOf(await fleet.status({}))).toEqual({ old: 'current', new: 'inactive' });
  told.length = 0;
  for (const percent of [-1, 0.5, 100])
    await expect(fleet.ramp({ build: 'new', percent })).rejects.toMatchObject(refused('bad-request'));
  const single = fleetOfService({ deployment: '' });
  await expect(single.fleet.promote({ build: 'new' })).rejects.toMatchObject(refused('no-fleet'));
  await expect(single.fleet.ramp({ build: 'new', percent: 10 })).rejects.toMatchObject(refused('no-fleet'));
  expect([...told, ...single.told]).toEqual([]);
});

test('both need the permission to promote', async () => {
  const asked: unknown[] = [];
  const may: Principal['may'] = (action, { type, id }) => asked.push([action, type, id]) < 0;
  const { fleet, told } = fleetOfService({ principal: { actor: 'eve@desk', owner: true, may } });
  await expect(fleet.promote({ build: 'new' })).rejects.toMatchObject({ details: { code: 'forbidden' } });
  await expect(fleet.ramp({ build: 'new', percent: 10 })).rejects.toMatchObject({ details: { code: 'forbidden' } });
  expect([asked, told]).toEqual([[0, 1].map(() => ['fleet:promote', 'Tenant', '*']), []]);
});
