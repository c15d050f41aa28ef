import { type CallContext, type Diff, type FoundServer, same, sameRules, type WantedServer } from '../../../sdk/index.js';
import { ask } from '../store/calls.js';
import { checkOurs, ownOf } from '../store/ownership.js';
import { type DemoServer, idOf } from '../store/state.js';
import type { DemoStore } from '../store/store.js';

/** Servers of an account. */
export interface Servers {
  store: DemoStore;
  /** Name of the account. */
  account: string;
}

export const readServer = (
  { store, account }: Servers,
  name: string,
  { scope, signal }: CallContext,
): Promise<FoundServer | undefined> =>
  ask(store, { verb: 'servers.read', name, signal }, ({ servers }) => {
    const found = checkOurs('server', name, scope, servers[idOf(scope, name)]);
    return found && describeServer(found, account);
  });

/** Lists all servers of an infra. */
export const listServers = ({ store, account }: Servers, { scope, signal }: CallContext): Promise<FoundServer[]> =>
  ask(store, { verb: 'servers.list', name: scope.infra, signal }, ({ servers }) =>
    ownOf(servers, scope).map((server) => describeServer(server, account)),
  );

/** Describes an entry of the account's file as a server. */
export function describeServer(server: DemoServer, account: string): FoundServer {
  const { scope, role: _, key: __, stopped, bootedAt, services: ___, ownId, ...rest } = structuredClone(server);
  const id = idOf(scope, server.name);
  const status = stopped ? 'stopped' : Date.now() < bootedAt ? 'starting' : 'running';
  return { ...rest, id: ownId ?? id, status, connection: { kind: 'demo', account, server: id } };
}

/** Compares firewalls: without rules everything is allowed, with an empty list nothing. */
const sameFirewall = ({ firewall: a }: WantedServer, { firewall: b }: FoundServer): boolean =>
  (a === undefined) === (b === undefined) && sameRules(a, b);

/**
 * Compares a server with its wanted state, like a cloud. Size, labels and more volumes change in place; image, network,
 * zone and fewer volumes require a new server.
 */
export function diffServer(wanted: WantedServer, found: FoundServer): Diff {
  const names = wanted.volumes.map(({ name }) => name);
  const lost = found.volumes.filter((name) => !names.includes(name));
  const added = names.filter((name) => !found.volumes.includes(name));
  const replaced = [
    ...(found.image === wanted.image ? [] : [`image "${found.image}" becomes "${wanted.image}"`]),
    ...(found.network === undefined || found.network === wanted.network
      ? []
      : [`network "${found.network}" becomes "${wanted.network}"`]),
    ...(wanted.zone === undefined || found.zone === wanted.zone ? [] : [`zone "${found.zone}" becomes "${wanted.zone}"`]),
    ...lost.map((name) => `volume "${name}" goes`),
    ...(found.placement === wanted.placement ? [] : [`placement "${found.placement ?? ''}" becomes "${wanted.placement ?? ''}"`]),
  ];
  const updated = [
    ...(found.network === undefined ? [`it joins the network "${wanted.network}"`] : []),
    ...(found.plan === wanted.plan.name ? [] : [`plan "${found.plan}" becomes "${wanted.plan.name}"`]),
    ...(same(found.labels, wanted.labels) ? [] : ['labels change']),
    ...added.map((name) => `volume "${name}" comes`),
    ...wanted.volumes.flatMap(({ name, sizeGiB }) => {
      const size = found.volumeSizes?.[name] ?? sizeGiB;
      return size === sizeGiB ? [] : [`volume "${name}" of ${size} GiB gets ${sizeGiB} GiB`];
    }),
    ...(sameFirewall(wanted, found) ? [] : ['the firewall changes']),
    ...(found.address === wanted.address ? [] : [wanted.address ? 'it gets an address of its own' : 'its own address goes']),
    ...(found.status === 'stopped' ? ['it is started'] : []),
  ];
  if (replaced.length > 0) return { action: 'replace', changes: [...replaced, ...updated] };
  return updated.length > 0 ? { action: 'update', changes: updated } : { action: 'noop' };
}
