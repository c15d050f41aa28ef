import { expect, test } from 'vitest';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { fact } from '../../sdk/index.js';
import type { HostRef } from '../host/host.js';
import { createPlanLeave, type LeaveInput } from './leave.js';

const connection = { kind: 'simulated' } as never;
const taskservs = {
  store: {
    name: 'store',
    group: {
      of: () => 'main',
      facts: () => ({ state: fact('ask', ({ stdout }) => stdout, '') }),
      standing: ({ state }: { state: string }) => ({
        ...(state && { group: 'g1' }),
        serves: /[+*]/.test(state),
        ...(state === '*' && { leads: true }),
      }),
      quorum: 'majority',
      leave: (config: unknown, { server, state }: { server: string; state: string }) => [
        { title: `Remove ${server} (${state}) as ${JSON.stringify(config)}`, run: 'remove', undo: ':' },
      ],
    },
  },
} as unknown as Record<string, AnyTaskserv>;

/** `*` leads, `+` serves, `-` does not, `?` is silent, `.` has no data; by server, from a on. The member of `server` leaves. */
async function leave(states: string, server: string, more: Partial<LeaveInput> = {}) {
  const names = [...states].map((_, index) => String.fromCharCode(97 + index));
  const hostOf = (at: HostRef) =>
    ({
      look: async () => {
        const state = states[at.server.charCodeAt(0) - 97];
        if (state === '?') throw new Error('no way to it');
        return { answers: [{ found: { state: state === '.' ? '' : state } }] };
      },
    }) as never;
  const members = names.map((name) => ({
    ...{ server: name, machine: name, installed: true as const, config: { of: name } },
    at: { server: name, provider: 'demo', connection },
  }));
  const plan = createPlanLeave({ hostOf, ownAmong: async () => taskservs }, { pauseMs: 1 });
  const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
  const input = { scope, group: { taskserv: 'store', name: 'main', members }, server, stay: names.filter((one) => one !== server) };
  try {
    const planned = await plan({ ...input, ...more });
    return planned && [planned.server, planned.steps.map(({ title }) => title).join()];
  } catch (error) {
    return (error as { details: { code: string; why: string } }).details.why;
  }
}

test('a member is removed on the leader, as that is configured, or on another one that serves and stays', async () => {
  expect(await leave('+*+', 'a')).toEqual(['b', 'Remove a (seen) as {"of":"b"}']);
  expect(await leave('+*+', 'b')).toEqual(['a', 'Remove b (seen) as {"of":"a"}']);
  expect(await leave('+*+', 'a', { stay: ['c'] })).toEqual(['c', 'Remove a (seen) as {"of":"c"}']);
});

test('a lost member is removed, too, and one that never joined needs nothing', async () => {
  expect(await leave('*+?', 'c')).toEqual(['a', 'Remove c (silent) as {"of":"a"}']);
  expect(await leave('*+-', 'c')).toEqual(['a', 'Remove c (seen) as {"of":"a"}']);
  expect(await leave('*+.', 'c')).toBeNull();
});

test('none is removed that the others cannot do without', async () => {
  expect(await leave('*+-', 'b')).toBe('without b, 1 of 2 members would serve, and 2 are needed');
  expect(await leave('*--', 'a')).toBe('1 of 3 members serve, and 2 are needed');
  expect(await leave('*+', 'b')).toEqual(['a', 'Remove b (seen) as {"of":"a"}']);
});

test('an interrupted machine is no member that leaves, but the others have to do without it', async () => {
  expect(await leave('*++', 'b', { returns: true })).toBeNull();
  expect(await leave('*+-', 'b', { returns: true })).toBe('without b, 1 of 3 members would serve, and 2 are needed');
  expect(await leave('*+-', 'c', { returns: true })).toBeNull();
});
