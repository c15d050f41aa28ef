import { expect, test } from 'vitest';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { fact } from '../../sdk/index.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import type { HostRef } from '../host/host.js';
import { createPlanSwitchOver, type SwitchOver } from './switch-over.js';

const connection = { kind: 'simulated' } as never;
const group = {
  of: () => 'main',
  facts: () => ({ state: fact('ask', ({ stdout }: { stdout: string }) => stdout, '') }),
  standing: ({ state }: { state: string }) => ({
    ...(/[*+x-]/.test(state) && { group: state === 'x' ? 'g2' : 'g1' }),
    serves: /[+*x]/.test(state),
    ...(state === '*' && { leads: true }),
    ...(state === '-' && { why: 'it is down' }),
  }),
  quorum: 'majority',
};
const handOver = (config: unknown, { server }: { server: string }, _: unknown, to?: { server: string }) => [
  { title: `${server} to ${to?.server ?? 'any'} as ${JSON.stringify(config)}, topsecret`, run: 'x', undo: ':' },
];
const taskservs = {
  store: { name: 'store', group: { ...group, handOver } },
  queue: { name: 'queue', group: { ...group, handOver } },
  plain: { name: 'plain', group },
} as unknown as Record<string, AnyTaskserv>;

/** `*` leads, `+` serves, `-` does not, `?` is silent, `.` has no data, `x` serves another group; by server, from a on. */
async function plan(states: string, to?: string, services = ['store']) {
  const names = [...states].map((_, index) => String.fromCharCode(97 + index));
  const hostOf = (at: HostRef) =>
    ({
      look: async () => {
        const state = states[at.server.charCodeAt(0) - 97];
        if (state === '?') throw new Error('no way to it');
        return { answers: [{ found: { state: state === '.' ? '' : state } }] };
      },
    }) as never;
  const members = names.map((name, index) => ({
    ...{ server: name, machine: name, config: { of: name }, at: { server: name, provider: 'demo', connection } },
    ...(states[index] !== '.' && { installed: true as const }),
  }));
  const secrets = { list: async () => [], listScoped: async () => [], within: () => ({ get: async () => undefined }) };
  const shared = { secrets: secrets as never, providers: {}, env: { PROVISIONING_SECRET_X: 'topsecret' } };
  const planOver = createPlanSwitchOver({ ...shared, hostOf, ownAmong: async () => taskservs }, { pauseMs: 1 });
  const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
  const groups = services.map((taskserv) => ({ taskserv, name: 'main', members }));
  try {
    const found: SwitchOver = await activityEnvironment().run(() => planOver({ scope, groups, ...(to !== undefined && { to }) }));
    return `${found.leader}: ${found.steps.map(({ title }) => title).join()}`;
  } catch (error) {
    const { code, on, why } = (error as { details: Record<string, string> }).details;
    return `${code} ${on ?? ''}: ${why}`;
  }
}

test('the leader gives its lead to the wanted member, or to any', async () => {
  expect(await plan('+*+')).toBe('b: b to any as {"of":"b"}, ***');
  expect(await plan('+*+', 'c')).toBe('b: b to c as {"of":"b"}, ***');
  expect(await plan('+*?', 'a')).toBe('b: b to a as {"of":"b"}, ***');
});

test('nothing is to be done if the wanted member leads', async () => {
  expect(await plan('+*+', 'b')).toBe('b: ');
});

test('a member that cannot lead is refused, with the reason', async () => {
  expect(await plan('+*-', 'c')).toBe('cannot-switch-over c: it does not serve: it is down');
  expect(await plan('+*?', 'c')).toBe('cannot-switch-over c: its host does not answer');
  expect(await plan('+*.', 'c')).toBe('cannot-switch-over c: the service is not installed there');
  expect(await plan('+*+', 'd')).toBe('unknown-server d: it is no member of the group "main"');
});

test('a group without a leader, without another member, or with two sets of data is refused', async () => {
  expect(await plan('+++', 'a')).toBe('cannot-switch-over main: no member leads it now');
  expect(await plan('?+?')).toBe('cannot-switch-over main: no member leads it now');
  expect(await plan('*')).toBe('cannot-switch-over main: a is its only member');
  expect(await plan('*--')).toBe('cannot-switch-over main: no member serves except a, which leads');
  expect(await plan('*+x')).toContain('groups-differ main:');
});

test('a service whose lead cannot be given away is refused, and one of several has to be chosen', async () => {
  expect(await plan('+*+', undefined, ['plain'])).toContain('cannot-switch-over plain "main": this service has no lead');
  expect(await plan('+*+', undefined, ['plain', 'store'])).toBe('b: b to any as {"of":"b"}, ***');
  expect(await plan('+*+', undefined, ['queue', 'store'])).toContain('several groups with a leader: queue "main", store "main"');
});
