import { expect, test, vi } from 'vitest';
import type { LeaveInput } from '../../activities/service/leave.js';
import { inputError } from '../../core/errors.js';
import { type Inventory, type InventoryChange, put } from '../../core/infra/inventory.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import type { Operation } from './operation.js';
import { undoCompensations } from './roll-back.js';

const member = { name: 'etcd', group: 'main', config: 'wanted' };
const service = { taskserv: 'etcd', version: '3', group: 'main', config: 'installed', since: 'op-1' };
const names = ['a', 'b', 'c', 'd', 'e'];

/** An operation that brought a group from three to five members. The last one was not recorded: its install failed. */
function scaleOut(compensations: Compensation[], refuse: (input: LeaveInput) => boolean = () => false) {
  const there = names.map((name) => [
    name,
    { name, provider: 'demo', id: name, spec: {}, connection: {}, services: name === 'e' ? {} : { etcd: service }, since: 'op-1' },
  ]);
  const definition = { servers: names.map((name) => ({ name, taskservs: [member] })) };
  const inventory = { definition, servers: Object.fromEntries(there), networks: {} } as unknown as Inventory;
  const done: string[] = [];
  const asked: LeaveInput[] = [];
  const activity =
    <T>(work: (input: T) => unknown) =>
    (_: unknown, [input]: [T]) =>
      Promise.resolve().then(() => work(input));
  const activities = {
    planLeave: activity((input: LeaveInput) => {
      asked.push(input);
      const why = `without ${input.server} too few would serve`;
      if (refuse(input)) throw inputError({ code: 'quorum-lost', what: 'remove', on: input.server, why });
      const steps = [{ title: `remove ${input.server}`, run: 'x', undo: ':' }];
      return input.returns ? [] : [{ server: 'a', taskserv: 'etcd', leaving: input.server, steps }];
    }),
    act: activity(({ server, steps }: { server: string; steps: { title: string }[] }) => {
      done.push(`${steps[0]?.title} at ${server}`);
      return { executed: 1 };
    }),
    deleteServer: activity(({ server }: { server: string }) => void done.push(`delete ${server}`)),
    undo: activity(({ server }: { server: string }) => {
      done.push(`undo on ${server}`);
      return {};
    }),
    updateServer: activity(({ spec }: { spec: { name: string } }) => void done.push(`restore ${spec.name}`)),
  };
  const operation = {
    ...{ inventory, compensations, request: { id: 'op-1', infra: 'shop', onTimeout: 'keep' }, progress: {} },
    activities: Object.fromEntries(Object.entries(activities).map(([name, run]) => [name, { executeWithOptions: run }])),
    record: async (...changes: InventoryChange[]) => {
      for (const change of changes) put(inventory, change);
    },
    ...{ show: vi.fn(), executed: vi.fn(), key: (step: string) => step },
    control: { unlessForced: (_: unknown, work: () => unknown) => work() },
    continuation: { leaveToNextRun: () => {} },
  };
  return { operation: operation as unknown as Operation, done, asked };
}

const made = (server: string): Compensation => ({ undo: 'delete-server', server, provider: 'demo' });
const installed = (server: string, before?: typeof service): Compensation => ({
  ...{ undo: 'host-steps', server, taskserv: 'etcd', operation: 'op-1', generation: 1, steps: [] },
  ...(before && { before }),
});
const added = () => [made('d'), made('e'), installed('d'), installed('e')];

test('new members leave their group before their machines are deleted, also one whose install failed', async () => {
  const { operation, done, asked } = scaleOut(added());
  expect(await undoCompensations(operation)).toEqual([]);
  expect(done).toEqual(['remove e at a', 'delete e', 'remove d at a', 'delete d']);
  expect(asked.map(({ server, stay, goes }) => [server, stay, goes])).toEqual([
    ['e', ['a', 'b', 'c'], ['d']],
    ['d', ['a', 'b', 'c'], undefined],
  ]);
  expect(operation.inventory.servers).not.toHaveProperty('d');
});

test('a machine stays if its member cannot leave, and counts as one then', async () => {
  const { operation, done, asked } = scaleOut(added(), ({ server }) => server === 'e');
  expect(await undoCompensations(operation)).toEqual([expect.stringContaining('without e too few would serve')]);
  expect(done).toEqual(['remove d at a', 'delete d']);
  expect(asked.at(-1)).toMatchObject({ server: 'd', stay: ['a', 'b', 'c', 'e'] });
  expect(operation.inventory.servers).toHaveProperty('e');
});

test('a group whose machines all go is not asked', async () => {
  const { operation, done, asked } = scaleOut(names.map(made));
  await undoCompensations(operation);
  expect([asked, done.length]).toEqual([[], 5]);
});

test('members that stay are changed back one after the other, each once the others can do without it', async () => {
  const changed = ['a', 'b'].map((server) => installed(server, service));
  const resized: Compensation = {
    undo: 'update-server',
    before: { name: 'c', spec: { name: 'c' }, services: { etcd: service } } as never,
  };
  const { operation, done, asked } = scaleOut([...changed, resized], ({ server }) => server === 'a');
  expect(await undoCompensations(operation)).toEqual([expect.stringContaining('without a too few would serve')]);
  expect(done).toEqual(['restore c', 'undo on b']);
  expect(asked.map(({ server, returns, withinMs }) => [server, returns, withinMs])).toEqual([
    ['c', true, 30_000],
    ['b', true, 30_000],
    ['a', true, 30_000],
  ]);
});

test('without groups nothing is asked', async () => {
  const { operation, done, asked } = scaleOut([made('x'), installed('y', { ...service, group: undefined as never })]);
  await undoCompensations(operation);
  expect([asked, done]).toEqual([[], ['delete x']]);
});
