import type * as z from 'zod';
import type { Inventory } from '../infra/inventory.js';
import type { Connection } from '../machine/provider.js';
import type { importServer, refresh } from '../schema/operation-request.js';
import type { HostStatus } from './host-status.js';
import type { Orphan } from './orphans.js';
import { markSwitched } from './power.js';

/**
 * Effect of the next `apply` of the last applied definition: `create` it again, `update` it in place, `replace` it
 * with its content, `start` it, `record` its address, `adopt` it, `delete` or `forget` a resource that is no longer
 * declared, `refuse` to continue, or `leave` it unchanged.
 */
export type Remedy = 'create' | 'update' | 'replace' | 'start' | 'record' | 'adopt' | 'delete' | 'forget' | 'refuse' | 'leave';

/** One thing of the inventory that is not as it was left. */
export interface Drift {
  kind: 'server' | 'network';
  name: string;
  provider: string;
  apply: Remedy;
}

/** Observed state, next to the inventory. */
export interface DriftReport {
  infra: string;
  /** How many servers and networks were looked at and are as the inventory says. */
  asRecorded: number;
  differs: (Drift & {
    changes: string[];
    /** Its present address, if it differs; recording it is enough. */
    connection?: Connection;
    /** A person started a server that the platform had stopped; recording it is enough. */
    runs?: true;
  })[];
  /** With `id`: the resource exists, but no longer has the platform's labels. */
  gone: (Drift & { id?: string })[];
  /** Resources with the platform's labels that the inventory does not have. */
  unknown: (Omit<Orphan, 'ended'> & { apply: Remedy })[];
  unasked: { provider: string; why: string }[];
  /** Present state of each host. Absent if hosts were not looked at. */
  hosts?: HostStatus[];
  /** The inventory was brought up to date: what is gone left it, and addresses were changed. */
  recorded?: true;
}

/** A request to compare an infra with what its providers and its hosts have. */
export type RefreshRequest = z.output<typeof refresh>;

/** A request to take a server that was made elsewhere into an infra. */
export type ImportRequest = z.output<typeof importServer>;

export interface ImportReport {
  infra: string;
  name: string;
  provider: string;
  id: string;
  plan: string;
  image: string;
  zone?: string;
  address?: string;
  /** Labels of others on it. */
  labels?: Record<string, string>;
  /** Absent where it was only looked for. */
  imported?: true;
}

/** Changes that record missing resources in an inventory. */
export const changesOf = ({ servers }: Inventory, { gone, differs }: DriftReport) => [
  ...gone.map(({ kind, name }) =>
    kind === 'server' ? ({ change: 'server-gone', name } as const) : ({ change: 'network-gone', name } as const),
  ),
  ...differs.flatMap(({ name, connection, runs }) => {
    const server = servers[name];
    const now = server && runs ? markSwitched(server) : server;
    return now && connection ? [{ change: 'server', server: { ...now, connection } } as const] : [];
  }),
];

/** Hosts that did not answer, without those whose provider says why: the machine is gone, off, or elsewhere. */
export function listUnreachedHosts({ hosts = [], gone, differs }: DriftReport): { server: string; why: string }[] {
  const explained = [...gone, ...differs.filter(({ apply, connection }) => apply === 'start' || connection !== undefined)];
  const names = new Set(explained.filter(({ kind }) => kind === 'server').map(({ name }) => name));
  return hosts.flatMap(({ server, why }) => (why === undefined || names.has(server) ? [] : [{ server, why }]));
}
