import { expect, test, vi } from 'vitest';
import { inputError } from '../../core/errors.js';
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
  await vi.waitFor(() => expect([failed.length, ready]).toEqual([1, ['x']]), 30_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ready).toEqual(['x']);
});

/**
 * Members a and b of a group restart, and c starts, which was off.
 *
 * @param serves whether the others of a server can do without it, look by look
 */
function restartWithOneOff(serves: (server: string, look: number) => boolean) {
  const specs = ['a', 'b', 'c'].map((name) => ({ ...{ name, role: name, provider: 'demo' }, plan: {}, taskservs: [] }));
  const service = { taskserv: 'etcd', group: 'main', version: '3', config: {}, since: 'op-1' };
  const servers = Object.fromEntries(
    specs.map((spec) => [
      spec.name,
      {
        ...{ name: spec.name, provider: 'demo', spec, id: spec.name, services: { etcd: service }, since: 'op-1' },
        ...{ connection: { kind: 'demo' }, ...(spec.name === 'c' && { stopped: 'op-0' }) },
      },
    ]),
  );
  const inventory = { servers, networks: {}, definition: { workspace: 'w', infra: 'i', servers: specs } };
  const events: string[] = [];
  const looks = new Map<string, number>();
  const switched =
    (verb: string) =>
    async (_: unknown, [{ server }]: [{ server: string }]) => {
      events.push(`${verb} ${server}`);
      return { server, id: server, status: 'running', connection: { kind: 'demo' } };
    };
  const asked: { server: string; comes?: string[]; withinMs?: number }[] = [];
  const planLeave = async (_: unknown, [input]: [{ server: string; comes?: string[]; withinMs?: number }]) => {
    const { server } = input;
    asked.push(input);
    const look = (looks.get(server) ?? 0) + 1;
    looks.set(server, look);
    if (serves(server, look)) return [];
    throw inputError({ code: 'quorum-lost', what: 'interrupt etcd', on: server, why: 'too few serve', hint: 'wait' });
  };
  const healthy = createHealth(events);
  const operation = {
    ...{ inventory, submitted: 0, progress: { steps: {}, plan: [] }, compensations: [], stopped: false },
    request: { id: 'op-2', workspace: 'w', infra: 'i', intent: { verb: 'restart', servers: ['a', 'b', 'c'] } },
    decided: {
      ...{ before: inventory, drains: [] },
      switches: [change('a', 'restart'), change('b', 'restart'), change('c', 'start')],
    },
    activities: {
      planLeave: { executeWithOptions: planLeave },
      powerOff: { executeWithOptions: switched('stop') },
      powerOn: { executeWithOptions: switched('start') },
      serverReady: {
        executeWithOptions: async (_: unknown, [{ spec }]: [{ spec: { name: string } }]) => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          events.push(`${spec.name} is ready`);
          return { id: spec.name, connection: { kind: 'demo' }, hostKey: '' };
        },
      },
      verify: { executeWithOptions: healthy.verify },
    },
    control: {
      go: () => {
        events.push('one is about to restart');
        return Promise.reject(new Error('it ends here'));
      },
    },
    continuation: {
      once: (_: string, run: () => Promise<void>) => run(),
      settle: vi.fn(),
      leaveToNextRun: vi.fn(),
      has: () => true,
    },
    attempt: (_: unknown, run: () => Promise<unknown>) => run(),
    ...{ show: vi.fn(), executed: vi.fn(), key: (name: string) => name, noteHostKey: vi.fn(), record: vi.fn() },
  };
  const settled = new Set<string>();
  Object.assign(operation.continuation, { has: (name: string) => settled.has(name), settle: (name: string) => settled.add(name) });
  return { ended: switchServers(operation as never, 'restart'), events, asked, healthy };
}

/** Health of c, which is looked at once it is let. */
function createHealth(events: string[]) {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const verify = async (_: unknown, [{ server }]: [{ server: string }]) => {
    if (server === 'c') await gate;
    events.push(`${server} is healthy`);
    return { healthy: true };
  };
  return { verify, open };
}

const RESTART = 'one is about to restart';

test('members of a group that are off start before others restart', async () => {
  const { ended, events, asked, healthy } = restartWithOneOff(() => true);
  await vi.waitFor(() => expect(events).toEqual(['start c', 'c is ready', RESTART, RESTART]), 30_000);
  healthy.open();
  await expect(ended).rejects.toThrow('it ends here');
  expect(asked.map(({ server, withinMs }) => [server, withinMs])).toEqual([
    ['a', 30_000],
    ['b', 30_000],
  ]);
});

test('a member that the others cannot do without waits until what was off is healthy, and is looked at again', async () => {
  const { ended, events, asked, healthy } = restartWithOneOff((_, look) => look > 1);
  await vi.waitFor(() => expect(asked).toHaveLength(1), 30_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(events).toEqual(['start c', 'c is ready']);
  healthy.open();
  await expect(ended).rejects.toThrow('it ends here');
  expect(events).toEqual(['start c', 'c is ready', 'c is healthy', RESTART, RESTART]);
});

test('a member that the others cannot do without even then is not restarted', async () => {
  const { ended, events, healthy } = restartWithOneOff(() => false);
  healthy.open();
  await expect(ended).rejects.toMatchObject({ details: { code: 'quorum-lost' } });
  expect(events).not.toContain(RESTART);
});
