import { findGroups } from '../definition/group-members.js';
import { drainersAmong } from '../definition/peers.js';
import type { LockNeeds, LockRequest, OperationRequest } from '../operation/operation.js';
import { isPowerVerb } from '../operation/power.js';
import type { Compensation } from '../operation/to-undo.js';
import { balancersOf, hashOf, specOf } from './grant.js';

/**
 * Builds the lock request of an operation to its infra's entity.
 *
 * @param compensations compensations of a roll-back
 */
export function buildLockRequest(request: OperationRequest, compensations: readonly Compensation[] = []): LockRequest {
  const { id, kind, actor, priority, batch } = request;
  return {
    operation: id,
    kind,
    resources: resourcesOf(request, compensations),
    actor,
    ...(priority ? { priority } : {}),
    ...(batch ? { flow: `batch/${batch.id}` } : {}),
    needs: needsOf(request, compensations),
  };
}

/** The resources an operation works on: the servers it names, or everything. */
export function resourcesOf({ kind, intent, check }: OperationRequest, compensations: readonly Compensation[] = []): string[] {
  if (check) return [];
  if (intent.verb === 'rollback') return touchedBy(compensations);
  // It may change the leader on any server.
  if (intent.verb === 'switch-over') return ['*'];
  if (kind !== 'cluster' && intent.servers && intent.servers.length > 0)
    return [...new Set(intent.servers)].map((name) => `server/${name}`).sort();
  return ['*'];
}

/** Resources that these compensations change. */
function touchedBy(compensations: readonly Compensation[]): string[] {
  const touched = compensations.flatMap((one) => {
    if (one.undo === 'delete-network') return `network/${one.network}`;
    if (one.undo === 'moved-data') return [`server/${one.from}`, `server/${one.to}`];
    if (one.undo === 'drain') return `server/${one.drain.server}`;
    const balancers = 'drains' in one ? (one.drains ?? []).map(({ server }) => `server/${server}`) : [];
    if (one.undo === 'update-server') return [`server/${one.before.name}`, ...balancers];
    // Which definition is in force after a member of a batch, its infra says: others need not wait for that.
    if (one.undo === 'definition') return one.member ? [] : '*';
    return [`server/${one.server}`, ...balancers];
  });
  return touched.length === 0 || touched.includes('*') ? ['*'] : [...new Set(touched)].sort();
}

function needsOf({ kind, intent, definition }: OperationRequest, compensations: readonly Compensation[]): LockNeeds {
  const { verb, servers, taskservs } = intent;
  const own = definition && { own: hashOf(definition) };
  if (verb === 'rollback') {
    const touched = touchedBy(compensations).flatMap((name) => (name.startsWith('server/') ? [name.slice(7)] : []));
    const applied = compensations.flatMap((one) => (one.undo === 'definition' && one.applied !== undefined ? [one.applied] : []));
    const [restores] = applied;
    return touched.length > 0 ? { servers: touched, complete: true, ...(restores !== undefined && { restores }) } : {};
  }
  // Those in front of them are asked to leave them out, and their services are checked as peers see them.
  if (isPowerVerb(verb)) return { servers: servers ?? [], definition: true, peers: true };
  if (verb === 'switch-over' || kind === 'cluster' || !servers || servers.length === 0) return { definition: true, ...own };
  const named = [...new Set(servers)].flatMap((name) => (definition && specOf(definition, name)) ?? []);
  const offered = new Set(named.flatMap((server) => server.taskservs.map(({ name }) => name)));
  const wanted = named.flatMap((server) => server.taskservs.filter(({ name }) => !taskservs || taskservs.includes(name)));
  const complete = named.length === new Set(servers).size && (taskservs ?? []).every((name) => offered.has(name));
  const groups = definition && findGroups(definition, servers, taskservs);
  return {
    servers,
    ...(taskservs ? { taskservs } : {}),
    ...(verb === 'ensure' ? { definition: true } : {}),
    ...(verb === 'ensure' && kind === 'taskserv' ? { peers: true } : {}),
    ...(verb === 'ensure' && definition ? { drains: drainersAmong(balancersOf(definition), servers, wanted) } : {}),
    ...(groups && groups.names.length > 0 ? { groups } : {}),
    ...(verb === 'ensure' && kind === 'server' && definition
      ? { networks: [...new Set(named.filter(({ host }) => !host).map(({ network }) => network))] }
      : {}),
    ...own,
    ...(complete ? { complete } : {}),
  };
}
