import { expect, test } from 'vitest';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { fact, share } from '../../sdk/index.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import type { HostRef } from '../host/host.js';
import { createPlanLeave, type Leave, type LeaveInput } from './leave.js';

const connection = { kind: 'simulated' } as never;
let leaveEnv = {};
/** The members of the group, as each call of `leave` gets them. */
const toldMembers: string[] = [];
/** What members that serve say of the others. */
let told: { voters?: number; lists?: string[] } = {};
const taskservs = {
  store: {
    name: 'store',
    group: {
      of: () => 'main',
      facts: () => ({ state: fact('ask', ({ stdout }) => stdout, '') }),
      standing: ({ state }: { state: string }) => ({
        ...(/[*+-]/.test(state) && { group: 'g1' }),
        ...(state === 'l' && { id: 'learner' }),
        serves: /[+*]/.test(state),
        ...((/[+*]/.test(state) && told) || {}),
        ...(state === '*' && { leads: true }),
      }),
      quorum: 'majority',
      shares: {
        token: { title: 'Make a topsecret, token', lifetimeSeconds: 7_200, make: () => 'token' },
        key: { title: 'Make a key', lifetimeSeconds: 7_200, on: 'leader', make: () => 'key' },
      },
      leave: (
        config: unknown,
        { server, state }: { server: string; state: string },
        { members }: { members: { server: string }[] },
      ) => {
        toldMembers.push(members.map((one) => one.server).join(''));
        const title = `Remove ${server} (${state}) as ${JSON.stringify(config)}, topsecret`;
        return [{ title, run: 'remove', undo: ':', ...leaveEnv }];
      },
    },
  },
} as unknown as Record<string, AnyTaskserv>;

/**
 * `*` leads, `+` serves, `-` does not, `?` is silent, `.` has no data, `l` has no vote yet; by server, from a on. The member
 * of `server` leaves. Several words are what is seen one look after the other.
 */
async function leave(looks: string, server: string, { dropped, ...more }: Partial<LeaveInput> & { dropped?: string } = {}) {
  const seen = looks.split(' ');
  const [states = ''] = seen;
  const names = [...states].map((_, index) => String.fromCharCode(97 + index));
  const hostOf = (at: HostRef) =>
    ({
      look: async () => {
        const state = seen[0]?.[at.server.charCodeAt(0) - 97];
        if (at.server === names.at(-1) && seen.length > 1) seen.shift();
        if (state === '?') throw new Error('no way to it');
        return { answers: [{ found: { state: state === '.' ? '' : state } }] };
      },
    }) as never;
  const members = names.map((name, index) => ({
    ...{ server: name, machine: name, config: { of: name } },
    ...(/[^.l]/.test(states[index] ?? '') && { installed: true as const }),
    ...(name === dropped && { leaves: true as const }),
    at: { server: name, provider: 'demo', connection },
  }));
  const secrets = { list: async () => [], listScoped: async () => [], within: () => ({ get: async () => undefined }) };
  const shared = { secrets: secrets as never, providers: {}, env: { PROVISIONING_SECRET_X: 'topsecret' } };
  const times = { pauseMs: 1, againMs: 1 };
  const plan = createPlanLeave({ ...shared, hostOf, ownAmong: async () => taskservs }, times);
  const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
  const input = { scope, group: { taskserv: 'store', name: 'main', members }, server, stay: names.filter((one) => one !== server) };
  try {
    const planned: Leave[] = await activityEnvironment().run(() => plan({ ...input, ...more }));
    const told = (one: Leave) => [...one.steps, ...(one.shares ?? []).map((share) => ({ title: `${share.title} on ${share.on}` }))];
    return planned.map(
      (one) =>
        `${one.server}: ${told(one)
          .map(({ title }) => title)
          .join('; ')}`,
    );
  } catch (error) {
    return (error as { details: { code: string; why: string } }).details?.why ?? error;
  }
}

test('a member is removed on the leader, as that is configured, or on another one that serves and stays', async () => {
  expect(await leave('+*+', 'a')).toEqual(['b: Remove a (seen) as {"of":"b"}, ***']);
  expect(await leave('+*+', 'b')).toEqual(['a: Remove b (seen) as {"of":"a"}, ***']);
  expect(await leave('+*+', 'a', { stay: ['c'] })).toEqual(['c: Remove a (seen) as {"of":"c"}, ***']);
});

test('a lost member is removed, too, one without a vote, and one that never joined needs nothing', async () => {
  expect(await leave('*+?', 'c')).toEqual(['a: Remove c (silent) as {"of":"a"}, ***']);
  expect(await leave('*+-', 'c')).toEqual(['a: Remove c (seen) as {"of":"a"}, ***']);
  expect(await leave('*+l', 'c')).toEqual(['a: Remove c (seen) as {"of":"a"}, ***']);
  expect(await leave('*+.', 'c')).toEqual([]);
});

test('a member that the definition has dropped is not among the members as `leave` gets them; one that is replaced is', async () => {
  toldMembers.length = 0;
  await leave('*++', 'b', { dropped: 'b' });
  await leave('*++', 'b');
  expect(toldMembers).toEqual(['ac', 'abc']);
});

test('one that never had data leaves if the others list it, or count more voters than they are', async () => {
  const c = ['a: Remove c (expected) as {"of":"a"}, ***'];
  const leaveAs = async (said: typeof told, ...asked: Parameters<typeof leave>) => {
    told = said;
    try {
      return await leave(...asked);
    } finally {
      told = {};
    }
  };
  expect(await leaveAs({ voters: 3, lists: ['a', 'b', 'c'] }, '*+.', 'c')).toEqual(c);
  expect(await leaveAs({ voters: 2, lists: ['a', 'b', 'c'] }, '*+.', 'c')).toEqual(c);
  expect(await leaveAs({ voters: 3, lists: ['a', 'b', 'd'] }, '*+.', 'c')).toEqual([]);
  expect(await leaveAs({ voters: 3 }, '*+.', 'c')).toEqual(c);
  expect(await leaveAs({ voters: 2 }, '*+.', 'c')).toEqual([]);
  expect(await leaveAs({ voters: 3 }, '*+.', 'c', { returns: true })).toEqual([]);
  // It counts for the quorum until it has left, and no more after that.
  const both = ['a: Remove c (expected) as {"of":"a"}, ***', 'a: Remove b (seen) as {"of":"a"}, ***'];
  expect(await leaveAs({ voters: 3, lists: ['a', 'b', 'c'] }, '*+.', 'b', { goes: ['c'], stay: ['a'] })).toEqual(both);
  expect(await leaveAs({ voters: 3 }, '*+.', 'b')).toBe('without b, 1 of 2 members would serve, and 2 are needed');
});

test('while none serves, it is not known whether one without data still counts', async () => {
  expect(await leave('--.', 'c')).toBe('0 of 2 members serve, and 2 are needed');
  expect(await leave('?-.', 'c')).toBe('0 of 2 members serve, and 2 are needed');
  expect(await leave('...', 'c')).toEqual([]);
});

test('none is removed that the others cannot do without', async () => {
  expect(await leave('*+-', 'b')).toBe('without b, 1 of 2 members would serve, and 2 are needed');
  expect(await leave('*--', 'a')).toBe('1 of 3 members serve, and 2 are needed');
  expect(await leave('*+', 'b')).toEqual(['a: Remove b (seen) as {"of":"a"}, ***']);
});

test('the only one that serves stays until others serve that are wanted', async () => {
  expect(await leave('*..', 'a')).toBe('it is the only one that serves: its data would be lost');
  expect(await leave('*l', 'a')).toBe('it is the only one that serves: its data would be lost');
  expect(await leave('-..', 'a')).toBe('no other member serves: its data may be the only copy');
  expect(await leave('*..', 'a', { returns: true })).toEqual([]);
  expect(await leave('*+.', 'a', { stay: ['c'], goes: ['b'] })).toEqual(['b: Remove a (seen) as {"of":"b"}, ***']);
});

test('of several that go, those that do not serve leave first: the others can do without more then', async () => {
  const [c, b] = ['a: Remove c (silent) as {"of":"a"}, ***', 'a: Remove b (seen) as {"of":"a"}, ***'];
  expect(await leave('*+?', 'b', { stay: ['a'], goes: ['c'] })).toEqual([c, b]);
  expect(await leave('*+?', 'b', { stay: ['a', 'c'] })).toBe('without b, 1 of 2 members would serve, and 2 are needed');
  expect(await leave('*+??-', 'b', { stay: ['a'], goes: ['c', 'd', 'e'] })).toBe('2 of 5 members serve, and 3 are needed');
});

test('an interrupted machine is no member that leaves, but the others have to do without it', async () => {
  expect(await leave('*++', 'b', { returns: true })).toEqual([]);
  expect(await leave('*+-', 'b', { returns: true })).toBe('without b, 1 of 3 members would serve, and 2 are needed');
  expect(await leave('*+-', 'c', { returns: true })).toEqual([]);
});

test('a member that was interrupted before gets time to serve again, before the next one is', async () => {
  const refused = 'without b, 1 of 3 members would serve, and 2 are needed';
  expect(await leave('*+- *+- *++', 'b', { returns: true })).toBe(refused);
  expect(await leave('*+- *+- *++', 'b', { returns: true, withinMs: 1_000 })).toEqual([]);
  expect(await leave('*+-', 'b', { returns: true, withinMs: 20 })).toBe(refused);
});

test('several that stop together are counted together', async () => {
  const stop = (looks: string, stops: string[]) => leave(looks, 'b', { returns: true, stops });
  expect(await stop('*++', ['b'])).toEqual([]);
  expect(await stop('*++', ['b', 'c'])).toBe('without b, c, 1 of 3 members would serve, and 2 are needed');
  expect(await stop('*+-', ['b'])).toBe('without b, 1 of 3 members would serve, and 2 are needed');
  expect(await stop('*-+', ['b'])).toEqual([]);
});

test('one that is off counts if the same operation starts it before', async () => {
  expect(await leave('*+?', 'b', { returns: true })).toBe('without b, 1 of 3 members would serve, and 2 are needed');
  expect(await leave('*+?', 'b', { returns: true, comes: ['c'] })).toEqual([]);
  // One that answers and does not serve is not started; one without the service brings nothing.
  expect(await leave('*+-', 'b', { returns: true, comes: ['c'] })).toBe('without b, 1 of 3 members would serve, and 2 are needed');
  expect(await leave('*+??-', 'b', { returns: true, comes: ['c'] })).toBe(
    'without b, 2 of 5 members would serve, and 3 are needed',
  );
});

test('members that hang may restart without a quorum, and one that serves may not', async () => {
  expect(await leave('??+', 'a', { returns: true })).toEqual([]);
  expect(await leave('?-+', 'b', { returns: true })).toEqual([]);
  expect(await leave('??+', 'c', { returns: true })).toBe('1 of 3 members serve, and 2 are needed');
  expect(await leave('??+', 'a')).toBe('1 of 3 members serve, and 2 are needed');
});

test('a share in a step of a member that goes is planned on the leader of those that stay, and refused if it is unknown', async () => {
  leaveEnv = { env: { TOKEN: share('token') } };
  const c = 'a: Remove c (silent) as {"of":"a"}, ***';
  try {
    expect(await leave('*+?', 'c')).toEqual([`${c}; Make a ***, token on a`]);
    expect(await leave('+*?', 'c')).toEqual(['b: Remove c (silent) as {"of":"b"}, ***; Make a ***, token on b']);
    expect(await leave('*++', 'a')).toEqual(['b: Remove a (seen) as {"of":"b"}, ***; Make a ***, token on b']);
    // Each one that leaves needs it.
    expect(await leave('*+?', 'b', { stay: ['a'], goes: ['c'] })).toEqual([
      `${c}; Make a ***, token on a`,
      'a: Remove b (seen) as {"of":"a"}, ***; Make a ***, token on a',
    ]);
    leaveEnv = { env: { TOKEN: share('key') } };
    expect(await leave('*++', 'a')).toEqual(['b: Remove a (seen) as {"of":"b"}, ***; Make a key on a']);
    leaveEnv = { env: { TOKEN: share('other') } };
    expect(await leave('*+?', 'c')).toBe('its group has no share "other"');
  } finally {
    leaveEnv = {};
  }
});
