import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { NotBegun } from '../operation/failures.js';
import { rollMachines } from './roll-machines.js';

const events: string[] = [];
const later = () => new Promise((resolve) => setTimeout(resolve, 2));
vi.mock('../runbook/server-phases.js', () => ({
  makeMachine: async (_: unknown, __: unknown, { server }: { server: string }, { turn }: { turn: { isLater: boolean } }) => {
    events.push(`${server} is changed${turn.isLater ? ' later' : ''}`);
    await later();
  },
}));
vi.mock('../runbook/mount-volumes.js', () => ({ mountVolumes: () => later() }));
vi.mock('../runbook/converge-services.js', () => ({
  convergeOne: async (operation: { fails?: string; stopped: boolean }, _: unknown, { name }: { name: string }) => {
    await later();
    if (operation.fails === name) {
      operation.stopped = true;
      throw new Error(`${name} does not serve`);
    }
    events.push(`${name} serves`);
  },
}));

describe('members of one group in several roles', () => {
  const role = (name: string) => ({ name, role: name, taskservs: [{ name: 'etcd', group: 'main' }] });
  const definition = { servers: ['a', 'b', 'c'].map(role) };
  const crew = {
    ...{ definition, ensureServers: [], removeServers: [], removeServices: [] },
    ensureServices: definition.servers.map((one) => ({ server: one, taskservs: one.taskservs })),
  } as unknown as WorkScope;
  const service = { taskserv: 'etcd', group: 'main', config: {}, since: 'op-1' };
  const roll = (more: { fails?: string; begun?: string } = {}) => {
    const operation = {
      inventory: { servers: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { name, services: { etcd: service } }])) },
      ...{ stopped: false, fails: more.fails, show: () => {}, leftOut: new Map() },
      continuation: {
        ...{ resumed: more.begun !== undefined, leaveToNextRun: () => {} },
        has: (thing: string) => thing === `machine/${more.begun}`,
        once: (_: string, doWork: () => Promise<void>) => doWork(),
      },
    };
    const rolling = {
      ...{ rolls: () => true, enter: async () => false, policyOf: () => undefined, drainsOf: () => [], leave: () => {} },
      outOfService: (_: unknown, doWork: () => Promise<void>) => doWork(),
    };
    const machines = { servers: ['a', 'b', 'c'].map((name) => ({ server: name, action: 'replace' })) };
    return rollMachines(operation as never, crew, machines as never, rolling as never, {});
  };

  beforeEach(() => {
    events.length = 0;
  });

  test('are replaced one after the other, each once the former one serves again', async () => {
    await roll();
    const others = ['b', 'c'].flatMap((name) => [`${name} is changed later`, `${name} serves`]);
    expect(events).toEqual(['a is changed', 'a serves', ...others]);
  });

  test('stay as they are after a failure', async () => {
    await expect(roll({ fails: 'a' })).rejects.toThrow('a does not serve');
    expect(events).toEqual(['a is changed']);
    await expect(roll({ fails: 'b' })).rejects.not.toBeInstanceOf(NotBegun);
  });

  test('go on in a new run with the one that was interrupted', async () => {
    await roll({ begun: 'c' });
    expect(events.slice(0, 3)).toEqual(['c is changed', 'c serves', 'a is changed later']);
  });
});
