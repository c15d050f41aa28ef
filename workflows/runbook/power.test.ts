import { expect, test, vi } from 'vitest';
import type { PowerChange } from '../../core/operation/power.js';
import { listOff, switchServers } from './power.js';

const change = (server: string, action: PowerChange['action']): PowerChange => ({
  ...{ server, id: server, status: action === 'none' ? 'stopped' : 'running', action },
  connection: { kind: 'demo' } as never,
});

test('what is off already counts as stopped with the others, and only if some stop', () => {
  expect(listOff([change('a', 'stop'), change('b', 'stop'), change('c', 'none')])).toEqual(['a', 'b', 'c']);
  expect(listOff([change('a', 'restart'), change('c', 'start')])).toEqual([]);
  expect(listOff([change('c', 'none')])).toEqual([]);
});

/** Members a and b of a group that the definition no longer has, and two servers of the same role. All but b restart. */
function restartThree() {
  const planLeave = () => Promise.reject(new Error('quorum-lost'));
  const update = { batch: 3, maxUnavailable: 2, pauseOnFailure: true };
  const names = ['a', 'b', 'x', 'y'];
  const specs = names.map((name) => ({ ...{ name, role: 'node', provider: 'demo', update }, plan: {}, taskservs: [] }));
  const service = { taskserv: 'etcd', group: 'main', config: {}, since: 'op-1' };
  const servers = Object.fromEntries(
    specs.map((spec) => {
      const { name, provider } = spec;
      const services = name < 'c' ? { etcd: service } : {};
      return [name, { ...{ name, provider, spec, id: name, services, since: 'op-1' }, connection: { kind: 'demo' } }];
    }),
  );
  const inventory = { servers, networks: {}, definition: { workspace: 'w', infra: 'i', servers: specs } };
  const ready: string[] = [];
  const serverReady = async (_: unknown, [{ spec }]: [{ spec: { name: string } }]) => {
    ready.push(spec.name);
    return { id: spec.name, connection: { kind: 'demo' }, hostKey: '' };
  };
  const failed: unknown[] = [];
  const operation = {
    inventory,
    request: { id: 'op-2', workspace: 'w', infra: 'i', intent: { verb: 'restart', servers: ['a', 'x', 'y'] } },
    decided: { before: inventory, switches: ['a', 'x', 'y'].map((name) => change(name, 'restart')), drains: [] },
    activities: { planLeave: { executeWithOptions: planLeave }, serverReady: { executeWithOptions: serverReady } },
    continuation: {
      ...{ once: (_: string, work: () => Promise<void>) => work(), settle: vi.fn(), leaveToNextRun: vi.fn() },
      // The machines of x and y restarted before: they are only waited for.
      has: (name: string) => name !== 'restarted/a',
    },
    // One that failed waits for a decision.
    attempt: async (_: unknown, work: () => Promise<unknown>) => {
      await work().catch((error) => {
        failed.push(error);
        return new Promise(() => {});
      });
    },
    ...{ stopped: false, show: vi.fn(), executed: vi.fn(), key: (name: string) => name, noteHostKey: vi.fn(), record: vi.fn() },
    ...{ compensations: [], progress: { steps: {} }, submitted: 0 },
  };
  void switchServers(operation as never, 'restart');
  return { ready, failed };
}

test('none begins while a member that the others cannot do without waits for a decision', async () => {
  const { ready, failed } = restartThree();
  await vi.waitFor(() => expect([failed.length, ready]).toEqual([1, ['x']]));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ready).toEqual(['x']);
});
