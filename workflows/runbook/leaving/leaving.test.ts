import { expect, test, vi } from 'vitest';
import type { LeaveInput } from '../../../activities/service/leave.js';
import type { TaskservSpec } from '../../../core/definition/definition.js';
import type { Step } from '../../../core/host/step.js';
import { type Inventory, type InventoryChange, put } from '../../../core/infra/inventory.js';
import type { WorkScope } from '../../../core/operation/work-scope.js';
import type { PlannedStep } from '../../../core/plan/planned-step.js';
import { share } from '../../../core/taskserv/groups/share.js';
import { text } from '../../../core/taskserv/secret.js';
import { NotBegun } from '../../operation/failures.js';
import { addLeaves, checkSpare, findMemberSpecs, leaveFirst, takeTurn } from './leaving.js';

const spec = { name: 'etcd', version: '3', config: 'wanted', endpoints: [], after: [], group: 'main' } as TaskservSpec;
const define = (names: string) =>
  ({ servers: [...names].map((name) => ({ name, taskservs: [spec, { ...spec, name: 'nginx', group: undefined }] })) }) as never;
const service = { taskserv: 'etcd', group: 'main', config: 'installed', since: 'op-1' };

/** @param there servers of the inventory; those in capitals have no service that was recorded */
function operate(there: string, definition = define('abc')) {
  const server = (letter: string) => {
    const name = letter.toLowerCase();
    const services = name === letter ? { etcd: service } : {};
    return [name, { name, provider: 'demo', id: name, connection: { kind: 'demo' }, services, since: 'op-1' }] as const;
  };
  const inventory = { definition, servers: Object.fromEntries([...there].map(server)), networks: {} } as unknown as Inventory;
  const asked: LeaveInput[] = [];
  const done: string[] = [];
  const run =
    <T>(work: (input: T) => unknown) =>
    (_: unknown, [input]: [T]) =>
      Promise.resolve(work(input));
  /** Steps of those that leave; empty: one that names them. */
  const planned: Step[] = [];
  const acted: object[] = [];
  const shares = [{ name: 'token', title: 'Make a token', on: 'a' }];
  const step = (leaving: string) =>
    planned.length > 0 ? { steps: planned, shares } : { steps: [{ title: `Remove ${leaving}`, run: 'x', undo: ':' }] };
  const planLeave = run((input: LeaveInput) => {
    asked.push(input);
    return input.returns ? [] : [{ server: 'a', taskserv: 'etcd', leaving: input.server, ...step(input.server) }];
  });
  const act = run((input: { server: string; steps: { title: string }[]; groups?: object[] }) => {
    acted.push(input);
    done.push(`${input.server}: ${input.steps[0]?.title}`);
    return { executed: 1, ...(input.groups && { made: 1 }) };
  });
  const record = async (change: InventoryChange) => put(inventory, change);
  const activities = { planLeave: { executeWithOptions: planLeave }, act: { executeWithOptions: act } };
  const progress = { plan: [] as PlannedStep[], steps: { executed: 0, planned: 0 } };
  const executed = (steps: number) => {
    progress.steps.executed += steps;
  };
  const settled = new Set<string>();
  const continuation = { has: (thing: string) => settled.has(thing), settle: (thing: string) => settled.add(thing) };
  const operation = {
    ...{ inventory, activities, record, request: { id: 'op-2' } },
    ...{ show: vi.fn(), executed, stopped: false },
  };
  Object.assign(operation, { progress, continuation });
  return {
    operation: operation as never as Parameters<typeof leaveFirst>[0],
    asked,
    acted,
    planned,
    done,
    ended: operation,
    progress,
  };
}

test.each([0, 1, 2])('steps by which a member leaves are planned, %i of them before, and counted once', async (lines) => {
  const { operation, progress } = operate('abc', define('ab'));
  const line = { ...{ on: 'a', taskserv: 'etcd', for: 'c', title: 'Remove c' }, step: { title: 'Remove c', run: 'x', undo: ':' } };
  progress.plan = [...Array.from({ length: lines }, () => line), { ...line, for: undefined }, { ...line, taskserv: 'nginx' }];
  progress.steps.planned = progress.plan.length;
  const failing = leaveFirst(operation, remove('c'), { server: 'c' }, () => Promise.reject(new Error('the cloud does not answer')));
  await expect(failing).rejects.toThrow('the cloud does not answer');
  await leaveFirst(operation, remove('c'), { server: 'c' }, async () => {});
  expect(progress.steps).toEqual({ executed: 1, planned: Math.max(1, lines) + 2 });
});

const remove = (names: string, definition = define('ab')): WorkScope =>
  ({ definition, removeServers: [...names].map((name) => ({ name })), removeServices: [] }) as never;

test('members of a machine are those of the inventory, also if the definition that named them has been replaced', () => {
  const names = (there: string, server: string, definition = define('ab')) =>
    findMemberSpecs(operate(there, definition).operation, definition, server).map(({ name, config }) => `${name} ${config}`);
  expect(names('abc', 'c')).toEqual(['etcd installed']);
  expect(names('abC', 'c')).toEqual([]);
  expect(names('abC', 'c', define('abc'))).toEqual(['etcd wanted']);
  expect(names('ab', 'c', define('abc'))).toEqual([]);
});

test('a member that goes leaves its group, with all that are there counted, and is no member by the inventory then', async () => {
  const { operation, asked, done } = operate('abcD', define('ab'));
  const seen = await leaveFirst(operation, remove('c'), { server: 'c' }, async () => operation.inventory.servers.c?.services.etcd);
  expect(done).toEqual(['a: Remove c']);
  expect(seen).toEqual({ taskserv: 'etcd', config: 'installed', since: 'op-2' });
  expect(asked[0]).toMatchObject({ server: 'c', stay: ['a', 'b'] });
  expect(asked[0]?.group.members.map((one) => [one.server, one.installed, one.leaves])).toEqual([
    ['a', true, undefined],
    ['b', true, undefined],
    ['c', true, true],
  ]);
});

test('a member without a vote leaves, too, though its service was never recorded', async () => {
  const { operation, asked, done } = operate('abC');
  await leaveFirst(operation, remove('c'), { server: 'c' }, async () => {});
  expect([done, asked[0]?.group.members.at(-1)?.server]).toEqual([['a: Remove c'], 'c']);
});

test('steps that refer to a share come with the group that makes it, others without', async () => {
  const { operation, acted, planned } = operate('abc');
  await leaveFirst(operation, remove('c'), { server: 'c' }, async () => {});
  expect(acted[0]).not.toHaveProperty('groups');
  expect(acted[0]).not.toHaveProperty('leaving');
  planned.push({ title: 'Remove b', run: 'x', undo: ':', stdin: text`${share('token')}` });
  operation.progress.steps.planned = 0;
  await leaveFirst(operation, remove('b'), { server: 'b' }, async () => {});
  expect(acted[1]).toMatchObject({
    ...{ server: 'a', taskserv: 'etcd@b', leaving: 'b' },
    groups: [{ taskserv: 'etcd', name: 'main', members: [{ server: 'a' }, { server: 'b', installed: true }] }],
  });
  // The step and the share that was made for it, which the plan did not have.
  expect(operation.progress.steps.planned).toBe(2);
});

test('the share for a member that leaves is a line before its steps, once in a plan', async () => {
  const { operation, planned } = operate('abc');
  planned.push({ title: 'Remove b', run: 'x', undo: ':', stdin: text`${share('token')}` });
  const made = { on: 'a', taskserv: 'etcd', title: 'Make a token', change: 'change' as const };
  const joins = { on: 'b', taskserv: 'etcd', title: 'Join', step: planned[0] as Step };
  const lines = await addLeaves(operation, remove('bc'), { servers: [] } as never, [made, joins]);
  expect(lines.map(({ on, title }) => `${on}: ${title}`)).toEqual([
    ...['a: Make a token', 'a: Remove b', 'a: Remove b', 'b: Join'],
  ]);
});

test('members that go in the same operation are named, and a whole group leaves nothing', async () => {
  const several = operate('abc');
  await leaveFirst(several.operation, remove('bc', define('a')), { server: 'b' }, async () => {});
  expect(several.asked[0]).toMatchObject({ stay: ['a'], goes: ['c'] });
  const whole = operate('abc');
  await leaveFirst(whole.operation, remove('abc', define('')), { server: 'b' }, async () => {});
  expect(whole.asked).toEqual([]);
});

test('new members stay before they are installed: the last one with data is asked about', async () => {
  const { operation, asked } = operate('aBC', define('bc'));
  await leaveFirst(operation, remove('a', define('bc')), { server: 'a' }, async () => {});
  expect(asked[0]).toMatchObject({ server: 'a', stay: ['b', 'c'] });
});

test('the turn of a member lasts until its work is done, and others that were interrupted before get time to serve', async () => {
  const { operation, asked } = operate('abc');
  const events: string[] = [];
  const work = (server: string) => async (isLater: boolean) => {
    events.push(`${server} begins`);
    await leaveFirst(operation, remove(''), { server, isLater, returns: true }, async () => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    events.push(`${server} serves`);
  };
  await Promise.all(['a', 'b'].map((server) => takeTurn(operation, remove(''), { server }, work(server))));
  expect(events).toEqual(['a begins', 'a serves', 'b begins', 'b serves']);
  expect(asked.map(({ withinMs }) => withinMs)).toEqual([undefined, 30_000]);
});

test('after a failure, members that wait for their turn are left as they are', async () => {
  const { operation, done, ended } = operate('abc');
  const fail = takeTurn(operation, remove('bc'), { server: 'b' }, async () => {
    ended.stopped = true;
    throw new Error('no');
  });
  const other = takeTurn(operation, remove('bc'), { server: 'c' }, () =>
    leaveFirst(operation, remove('bc'), { server: 'c' }, async () => void done.push('deleted')),
  );
  await expect(fail).rejects.toThrow('no');
  await expect(other).rejects.toBeInstanceOf(NotBegun);
  expect(done).toEqual([]);
});

test('a member that has left is not removed if the operation stopped meanwhile', async () => {
  const { operation, done, ended } = operate('abc');
  vi.spyOn(ended, 'executed').mockImplementation(() => {
    ended.stopped = true;
  });
  const left = leaveFirst(operation, remove('c'), { server: 'c' }, async () => void done.push('deleted'));
  await expect(left).rejects.toBeInstanceOf(NotBegun);
  expect(done).toEqual(['a: Remove c']);
});

test('without a group the work begins at once, as in histories from before groups', async () => {
  const { operation } = operate('ab', define(''));
  const removed = Promise.resolve();
  expect(takeTurn(operation, remove('x'), { server: 'x' }, () => removed)).toBe(removed);
  expect(leaveFirst(operation, remove('x'), { server: 'x' }, () => removed)).toBe(removed);
});

test('what stops together is asked about together, a whole group may stop, and a server without members waits for nothing', async () => {
  const { operation, asked } = operate('abc');
  const work = remove('');
  await checkSpare(operation, work, { server: 'b', stops: ['b', 'c'] });
  expect(asked).toEqual([expect.objectContaining({ server: 'b', returns: true, stops: ['b', 'c'] })]);
  await checkSpare(operation, work, { server: 'b', stops: ['a', 'b', 'c'] });
  expect(asked).toHaveLength(1);
  await checkSpare(operation, work, { server: 'c', isLater: true });
  expect(asked[1]).toEqual(expect.objectContaining({ server: 'c', returns: true, withinMs: 30_000 }));
  expect(checkSpare(operate('a', define('')).operation, remove(''), { server: 'x' })).toBeUndefined();
});

test('the rest of a group may stop, and what was stopped before still counts for a restart or a removal', async () => {
  const { operation, asked } = operate('abc');
  const work = remove('');
  Object.assign(operation.inventory.servers.c ?? {}, { stopped: 'op-1' });
  await checkSpare(operation, work, { server: 'a', stops: ['a', 'b'] });
  expect(asked).toEqual([]);
  await checkSpare(operation, work, { server: 'a', stops: ['a'] });
  expect(asked).toHaveLength(1);
  Object.assign(operation.inventory.servers.b ?? {}, { stopped: 'op-1' });
  await checkSpare(operation, work, { server: 'a', stops: ['a'] });
  expect(asked).toHaveLength(1);
  await checkSpare(operation, work, { server: 'a' });
  await leaveFirst(operation, remove('a', define('bc')), { server: 'a' }, async () => {});
  expect(asked).toHaveLength(3);
});
