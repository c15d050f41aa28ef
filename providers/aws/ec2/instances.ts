import { addAbortListener } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Filter, Instance } from '@aws-sdk/client-ec2';
import type { CallContext } from '../../../sdk/index.js';
import { pages } from './account.js';
import type { Ask } from './region.js';
import { assertOurs, createMarkFilters } from './tags.js';

/** Returns the instances that match filters, except terminated and terminating ones. */
export async function instancesWith(ask: Ask, Filters: Filter[]): Promise<Instance[]> {
  const found = await pages(
    ask,
    (ec2, options, NextToken) => ec2.describeInstances({ Filters, NextToken }, options),
    ({ Reservations = [] }) => Reservations.flatMap(({ Instances = [] }) => Instances),
  );
  return found.filter(({ State }) => State?.Name !== 'terminated' && State?.Name !== 'shutting-down').sort(byAge);
}

const byAge = (a: Instance, b: Instance) =>
  Number(a.LaunchTime ?? 0) - Number(b.LaunchTime ?? 0) || ((a.InstanceId ?? '') < (b.InstanceId ?? '') ? -1 : 1);

/** Finds the instance of a server. Throws `owned-by-another` if another infra of the same name has it. */
export async function findInstance(ask: Ask, name: string, { scope }: CallContext): Promise<Instance | undefined> {
  const { workspace, infra } = scope;
  const found = await instancesWith(ask, createMarkFilters({ workspace, infra, kind: 'server', name }));
  for (const { Tags } of found) assertOurs(scope, 'server', name, Tags);
  return found[0];
}

/** Returns the network interface with the addresses and security groups of a server. */
export const mainInterface = ({ NetworkInterfaces = [] }: Instance) =>
  NetworkInterfaces.find(({ Attachment }) => Attachment?.DeviceIndex === 0);

export function groupsOf(instance: Instance): string[] {
  const groups = mainInterface(instance)?.Groups ?? instance.SecurityGroups ?? [];
  return groups.flatMap(({ GroupId }) => GroupId ?? []);
}

/** Returns the state of an instance; undefined if AWS does not know it yet, or no longer. */
export type StateOf = (id: string, signal?: AbortSignal) => Promise<string | undefined>;

interface Round {
  ids: Set<string>;
  answer: Promise<Map<string, string>>;
}

/** Maximum number of ids in an AWS filter. */
const IDS = 200;

/** Requests the states of all awaited instances together, at most once per `pollMs`. */
export function stateWatch(ask: Ask, pollMs: number): StateOf {
  let next: Round | undefined;

  const begin = (): Round => {
    const ids = new Set<string>();
    const answer = sleep(pollMs).then(async () => {
      next = undefined;
      const states = new Map<string, string>();
      const all = [...ids];
      for (let at = 0; at < all.length; at += IDS) {
        // A filter ignores an id that AWS does not know yet; a request by id would fail.
        const Filters = [{ Name: 'instance-id', Values: all.slice(at, at + IDS) }];
        const answer = await ask((ec2, options) => ec2.describeInstances({ Filters }, options));
        for (const { Instances = [] } of answer.Reservations ?? [])
          for (const { InstanceId, State } of Instances) states.set(InstanceId ?? '', State?.Name ?? '');
      }
      return states;
    });
    answer.catch(() => {});
    return { ids, answer };
  };

  return async (id, signal) => {
    signal?.throwIfAborted();
    next ??= begin();
    next.ids.add(id);
    const { answer } = next;
    const states = await (signal ? Promise.race([answer, abortOf(signal)]) : answer);
    return states.get(id);
  };
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    addAbortListener(signal, () => reject(signal.reason));
  });
}
