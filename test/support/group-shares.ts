import type { HostRef } from '../../activities/host/host.js';
import type { ActInput } from '../../activities/service/bring.js';
import { createGiveGroupShare } from '../../activities/service/shares/group-share.js';
import { createGiveShares, type GivenShares } from '../../activities/service/shares/shares.js';
import type { Step } from '../../core/host/step.js';
import type { GroupShareAnswer } from '../../core/taskserv/groups/group-share.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { fact, share, text } from '../../sdk/index.js';
import { activityEnvironment } from './activity-environment.js';

export const LIFETIME = 7_200;
export const ANOTHER = 'another-value-that-is-long';
export const store = {
  name: 'store',
  group: {
    of: () => 'main',
    facts: () => ({ state: fact('ask', ({ stdout }) => stdout, '') }),
    standing: ({ state }: { state: string }) => ({
      ...(/[*+-]/.test(state) && { group: 'g1' }),
      ...(state === 'o' && { group: 'g2' }),
      serves: /[+*o]/.test(state),
      ...(state === '*' && { leads: true }),
    }),
    quorum: 'majority',
    shares: {
      token: {
        title: 'Make a join token',
        lifetimeSeconds: LIFETIME,
        make: ({ of }: { of: string }, at: { server: string }) => `token ${of} ${at.server}`,
      },
      key: { title: 'Make a key', lifetimeSeconds: LIFETIME, on: 'leader', make: () => 'key' },
      file: { title: 'Write a file', lifetimeSeconds: LIFETIME, form: 'text', make: () => 'file' },
    },
  },
} as unknown as AnyTaskserv;

export const scope = { workspace: 'default', infra: 'shop', uuid: 'u-1' };
export const join = (name = 'token'): Step[] => [{ title: 'Join', run: 'join', undo: 'part', stdin: text`${share(name)}` }];

/** Secrets in memory, as stores keep them by scope. */
export function memory() {
  const values = new Map<string, string>();
  const reads: string[] = [];
  const within = () => ({
    get: async (name: string) => values.get(name),
    set: async (name: string, value: string) => void values.set(name, value),
    delete: async (name: string) => values.delete(name),
    noteRead: async (name: string, { host }: { host: string }) =>
      void reads.push(`${host} ${name.split('/')[3] === undefined ? '' : 'reads'}`),
  });
  const listScoped = async () => [...values.keys()].map((name) => ({ name, infra: 'shop' }));
  const secrets = { list: async () => [], get: async () => undefined, listScoped, within } as never;
  return { values, reads, secrets };
}

/** `*` leads, `+` serves, `-` does not, `?` is silent, `.` is not there, `o` has the data of another group; by server, from a on. */
export function groupOf(states: string) {
  const names = [...states].map((_, index) => String.fromCharCode(97 + index));
  const members = names.map((server, index) => ({
    ...{ server, machine: server, config: { of: `config-${server}` } },
    ...(states[index] !== '.' && { installed: true as const }),
    at: { server, provider: 'local', connection: { kind: 'simulated' } as never },
  }));
  return { taskserv: 'store', name: 'main', members };
}

type Refusal = Record<'code' | 'why' | 'hint' | 'on', string>;

export interface Given {
  states: string;
  kept?: ReturnType<typeof memory>;
  steps?: Step[];
  secrets?: string[];
  prints?: (script: string, server: string) => string;
  progress?: { begun: boolean; attached: boolean };
  /** Afterwards a step has failed. */
  fails?: string;
  withinMs?: number;
  /** The steps take this member out of the group, on the host `on`. */
  leaving?: string;
  on?: string;
  /** A person asks for this share; no host does. */
  person?: string;
}

export async function give({
  states,
  kept = memory(),
  steps = join(),
  secrets,
  prints = (script) => `made by ${script}`,
  progress,
  fails,
  withinMs = 3,
  leaving,
  on = 'c',
  person,
}: Given) {
  const scripts: string[] = [];
  const hostOf = (at: HostRef) =>
    ({
      look: async () => {
        const state = states[at.server.charCodeAt(0) - 97];
        if (state === '?') throw new Error('no way to it');
        return { answers: [{ found: { state: state === '.' ? '' : state } }] };
      },
      ...(progress && { progress: async () => progress }),
      stream: async (script: string) => {
        scripts.push(`${at.server}: ${script}`);
        return prints(script, at.server);
      },
    }) as never;
  const shared = { hostOf, ownAmong: async () => ({ store }), secrets: kept.secrets, providers: {} };
  const times = { pauseMs: 1, againMs: 1, withinMs };
  const giver = createGiveShares(shared, times);
  const input = {
    scope,
    server: on,
    taskserv: leaving === undefined ? 'store' : `store@${leaving}`,
    ...(leaving !== undefined && { leaving }),
    operation: 'op',
    generation: 1,
    steps,
    groups: [groupOf(states)],
    provider: 'local',
  };
  const run = async () => {
    if (person !== undefined) return createGiveGroupShare(shared, times)({ scope, group: groupOf(states), share: person });
    const made = await giver({ ...input, ...(secrets && { secrets }) } as unknown as ActInput);
    if (fails !== undefined) await made?.spend({ details: [{ code: 'step-failed', what: fails }] });
    return made;
  };
  const ran: Promise<GivenShares | GroupShareAnswer | undefined> = activityEnvironment().run(run);
  const given = await ran.catch((error) => error.details as Refusal);
  return { given, scripts, ...kept };
}

export const valueIn = ({ given }: Awaited<ReturnType<typeof give>>) =>
  given && 'values' in given && [...given.values.values()].map(({ value }) => value);
