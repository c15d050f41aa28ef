import { expect, test } from 'vitest';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { fact } from '../../sdk/index.js';
import type { HostRef } from '../host/host.js';
import { createPool, type GroupAt, knowGroups } from './pool-groups.js';

const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
const connection = { kind: 'simulated' } as never;
const taskservs = {
  store: {
    name: 'store',
    group: {
      of: () => 'main',
      facts: ({ port }: { port: number }) => ({ state: fact(`ask ${port}`, ({ stdout }) => stdout, '') }),
      standing: ({ state }: { state: string }) => ({ serves: state !== '', ...(state && { group: state }) }),
      quorum: 'majority',
    },
  },
  alone: { name: 'alone' },
} as unknown as Record<string, AnyTaskserv>;

const at = (server: string) => ({ server, provider: 'demo', connection });
const member = (server: string, more = {}) => ({
  ...{ server, machine: `m-${server}`, at: at(server), installed: true as const, config: { port: 1 } },
  ...more,
});
const groupOf = (...members: GroupAt['members']): GroupAt => ({ taskserv: 'store', name: 'main', members });

/** @param says what each server answers; a function: how it is asked */
async function pool(group: GroupAt, says: Record<string, string | (() => Promise<string>)>, own?: { state: string }) {
  const asked: string[] = [];
  const hostOf = ({ server }: HostRef) =>
    ({
      look: async ([{ facts }]: [{ facts: { state: { run: string } } }]) => {
        asked.push(`${server}: ${facts.state.run}`);
        const state = says[server];
        if (state === undefined) throw new Error('no way to it');
        return { answers: [{ found: { state: typeof state === 'string' ? state : await state() } }] };
      },
    }) as never;
  const pooling = createPool(hostOf, { eachMs: 50, pauseMs: 1 })(scope, knowGroups(taskservs, [group]), 'a');
  const [pooled] = await pooling([own]);
  const members = pooled?.context.members;
  return {
    members: members?.map(({ server, state, standing }) => [server, state, standing?.group]),
    answers: members?.map(({ found }) => found),
    asked,
  };
}

test('all other members are asked as they were installed, and the own one is not asked twice', async () => {
  const group = groupOf(member('a'), member('b', { config: { port: 2 } }), member('c'));
  const { members, asked } = await pool(group, { b: 'g1', c: '' }, { state: 'g1' });
  expect(members).toEqual([
    ['a', 'seen', 'g1'],
    ['b', 'seen', 'g1'],
    ['c', 'seen', undefined],
  ]);
  expect(asked).toEqual(['b: ask 2', 'c: ask 1']);
});

test('a member that does not answer, or not in time, is silent and not taken for a new one', async () => {
  const never = () => new Promise<string>(() => {});
  const group = groupOf(member('a'), member('b'), member('c'), member('d', { at: undefined }));
  const { members, asked } = await pool(group, { c: never }, { state: 'g1' });
  expect(members?.map(([, state]) => state)).toEqual(['seen', 'silent', 'silent', 'silent']);
  // One lost connection says nothing.
  expect(asked.filter((one) => one.startsWith('b'))).toHaveLength(2);
});

test('a member is expected without a machine, and without the service as long as it has no data of a group', async () => {
  const fresh = { installed: undefined };
  const none = { ...fresh, at: undefined, machine: undefined };
  const group = groupOf(member('a', fresh), member('b', none), member('c', fresh), member('d', fresh), member('e', fresh));
  const { members } = await pool(group, { c: '', d: 'g1' }, { state: '' });
  expect(members).toEqual([
    ['a', 'expected', undefined],
    ['b', 'expected', undefined],
    ['c', 'expected', undefined],
    ['d', 'seen', 'g1'],
    ['e', 'silent', undefined],
  ]);
});

test('a member that is expected has the answers of its host, such as data of a service that was alone', async () => {
  const fresh = { installed: undefined };
  const { members, answers } = await pool(groupOf(member('a', fresh), member('b', fresh)), { b: '' }, { state: '' });
  expect(members?.map(([, state]) => state)).toEqual(['expected', 'expected']);
  expect(answers).toEqual([{ state: '' }, { state: '' }]);
});

test('a taskserv that makes no groups any more is not asked for one', () => {
  expect(knowGroups(taskservs, [{ ...groupOf(), taskserv: 'alone' }])).toEqual([]);
});

test('a member that leaves counts, and plans do not know it', async () => {
  const hostOf = () => ({ look: async () => ({ answers: [{ found: { state: 'g1' } }] }) }) as never;
  const asked = groupOf(member('a'), member('b', { leaves: true }));
  const [pooled] = await createPool(hostOf)(scope, knowGroups(taskservs, [asked]), 'a')([{ state: 'g1' }]);
  expect(pooled?.context.members.map(({ server }) => server)).toEqual(['a']);
  expect(pooled?.all.map(({ server, standing }) => [server, standing?.serves])).toEqual([
    ['a', true],
    ['b', true],
  ]);
});

test('clocks are asked with the members, and one that is apart is known by its server', async () => {
  const off: Record<string, number> = { b: 0, c: -60, d: 0 };
  const hostOf = ({ server }: HostRef) =>
    ({
      look: async () => ({
        answers: [{ found: { state: 'g1' } }, { found: { seconds: Math.floor(Date.now() / 1_000) + (off[server] ?? 0) } }],
      }),
    }) as never;
  const asked = groupOf(...['a', 'b', 'c', 'd'].map((server) => member(server)));
  const pool = async (clock?: { least: number; most: number }) =>
    (await createPool(hostOf)(scope, knowGroups(taskservs, [asked]), 'a')([{ state: 'g1' }], clock))[0]?.clocks;
  expect(await pool()).toEqual({ c: expect.closeTo(-60, -1) });
  expect(await pool({ least: 30_000, most: 31_000 })).toEqual({ a: expect.closeTo(30, -1), c: expect.closeTo(-60, -1) });
});
