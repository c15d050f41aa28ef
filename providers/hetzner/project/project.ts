import type * as z from 'zod';
import { type CallContext, type CreateContext, type Scope, unreachableError } from '../../../sdk/index.js';
import { type Actions, openActions } from '../api/actions.js';
import type { Api, RequestSubject } from '../api/api.js';
import { gatherer, obeySignal } from '../api/gather.js';
import {
  type Firewall,
  firewall,
  type Network,
  network,
  type PlacementGroup,
  type PrimaryIp,
  placementGroup,
  primaryIp,
  type Server,
  type SshKey,
  server,
  sshKey,
  type Volume,
  volume,
} from '../api/shapes.js';
import { vendorCode } from '../errors.js';
import { assertOurs, hetznerName, type Kind, type Labels, nameIn, scopeIn, selector } from './labels.js';

export interface Rows {
  server: Server;
  network: Network;
  volume: Volume;
  firewall: Firewall;
  address: PrimaryIp;
  placement: PlacementGroup;
  key: SshKey;
}

interface Row {
  id: number;
  name: string;
  labels: Labels;
  status?: string;
}

/** Names of the kinds in the API's paths and lists. */
export const FIELDS: Readonly<Record<Kind, string>> = {
  server: 'servers',
  network: 'networks',
  volume: 'volumes',
  firewall: 'firewalls',
  address: 'primary_ips',
  placement: 'placement_groups',
  key: 'ssh_keys',
};

const SHAPES: { [K in Kind]: z.ZodType<Rows[K]> } = {
  server,
  network,
  volume,
  firewall,
  address: primaryIp,
  placement: placementGroup,
  key: sshKey,
};

/** Project of the vendor in this connection: finds our resources, and creates each once. */
export interface Project {
  api: Api;
  actions: Actions;
  /** Minimum pause between two lookups of a resource, in milliseconds. */
  pollMs: number;
  /** Finds a resource by our name. Throws if it belongs to another infra. Resources in deletion count as deleted. */
  find<K extends Kind>(kind: K, name: string, context: CallContext): Promise<Rows[K] | undefined>;
  /** Finds a resource by our name; undefined if it belongs to another infra. */
  ours<K extends Kind>(kind: K, name: string, context: CallContext): Promise<Rows[K] | undefined>;
  /** Returns all volumes that were created for a server. */
  volumesOf(server: string, context: CallContext): Promise<Volume[]>;
  list<K extends Kind>(kind: K, labelSelector: string, about: RequestSubject): Promise<Rows[K][]>;
  /** Returns the existing resource, or the result of `make`, which runs once for concurrent calls of this process. */
  ensure<K extends Kind>(kind: K, name: string, context: CreateContext, make: () => Promise<Rows[K]>): Promise<Rows[K]>;
  /** Shares one run of some work among all concurrent callers. */
  shared<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

export function openProject(api: Api, pollMs: number): Project {
  const askers = new Map<string, ReturnType<typeof gatherer<Row[]>>>();
  const running = new Map<string, Promise<unknown>>();

  /** Returns all resources with our names, for every owner, by name or by server. */
  function rows<K extends Kind>(
    kind: K,
    by: 'names' | 'servers',
    name: string,
    { scope, signal }: CallContext,
  ): Promise<Rows[K][]> {
    const { workspace, infra } = scope;
    const key = JSON.stringify([kind, by, workspace, infra]);
    let ask = askers.get(key);
    if (!ask) {
      ask = gatherer(async (names) => {
        const about = { what: `look up ${FIELDS[kind].replace('_', ' ')}`, on: infra };
        const found = await list(kind, selector({ workspace, infra }, kind, { [by]: names }), about);
        const nameOf = ({ labels }: Row) => (by === 'names' ? nameIn(labels) : (nameIn(labels).split('/')[0] ?? ''));
        return new Map(names.map((one) => [one, found.filter((row) => nameOf(row) === one)]));
      });
      askers.set(key, ask);
    }
    return ask(name, signal).then((found = []) => found.filter(({ status }) => status !== 'deleting') as unknown as Rows[K][]);
  }

  const list = <K extends Kind>(kind: K, labelSelector: string, about: RequestSubject): Promise<Rows[K][]> =>
    api.list(SHAPES[kind], FIELDS[kind], { label_selector: labelSelector }, about);

  async function find<K extends Kind>(kind: K, name: string, context: CallContext): Promise<Rows[K] | undefined> {
    const found = await rows(kind, 'names', name, context);
    for (const { labels } of found) assertOurs(context.scope, kind, name, labels);
    return found[0];
  }

  const isOurs = ({ scope }: { scope: Scope }, { labels }: Row) => scopeIn(labels)?.uuid === scope.uuid;

  /** Returns the resource with a name that was refused: from an earlier attempt. Throws for a foreign resource. */
  async function rival<K extends Kind>(kind: K, name: string, { scope, signal }: CreateContext): Promise<Rows[K]> {
    const about = { what: `make the ${kind}`, on: name, signal };
    const [row] = await api.list(SHAPES[kind], FIELDS[kind], { name: hetznerName(scope, name) }, about);
    if (row) assertOurs(scope, kind, name, row.labels);
    if (row && nameIn(row.labels) === name && (row as Row).status !== 'deleting') return row;
    const why = row ? 'a resource with its name is being deleted' : 'a resource that is not visible yet has its name';
    throw unreachableError({ code: 'hetzner-busy', what: about.what, on: name, why });
  }

  function shared<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    let run = running.get(key) as Promise<T> | undefined;
    if (!run) {
      run = work().finally(() => running.delete(key));
      running.set(key, run);
    }
    return obeySignal(signal, run);
  }

  return {
    api,
    pollMs,
    actions: openActions(api, pollMs),
    find,
    list,
    shared,
    ours: async (kind, name, context) => (await rows(kind, 'names', name, context)).find((row) => isOurs(context, row)),
    volumesOf: async (name, context) => (await rows('volume', 'servers', name, context)).filter((row) => isOurs(context, row)),
    ensure: (kind, name, context, make) =>
      shared(JSON.stringify(['ensure', kind, name, context.scope]), context.signal, async () => {
        const alone = { ...context, signal: undefined };
        const known = await find(kind, name, alone);
        if (known) return known;
        try {
          return await make();
        } catch (error) {
          if (vendorCode(error) !== 'uniqueness_error') throw error;
          return rival(kind, name, alone);
        }
      }),
  };
}

/** Repeats a lookup before a resource counts as deleted, since lists may lag behind. */
export async function surely<T>({ pollMs }: Pick<Project, 'pollMs'>, look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (let left = 2; ; left--) {
    const found = await look();
    if (found !== undefined || left === 0) return found;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
