import type { DecidedService } from '../../activities/service/decide.js';
import type { GroupAt, MemberAt } from '../../activities/service/pool-groups.js';
import type { StandingMark } from '../../activities/service/quorum.js';
import type { ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import { listMembers, nameGroup, orderMembers } from '../../core/definition/group-members.js';
import { memoizeByKey, type ServiceNode, servicesInOrder } from '../../core/definition/service-order.js';
import type { Inventory, InventoryChange, InventoryServer } from '../../core/infra/inventory.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { AnyPhase, DecisionState } from '../operation/operation.js';
import type { ServerDecision } from './server-decision.js';

/** The groups of a host's services, for the questions about it. */
export function groupsOn(
  { inventory, decided }: AnyPhase & DecisionState,
  work: WorkScope,
  wanted: readonly TaskservSpec[],
): { groups?: GroupAt[] } {
  const { groups = [] } = describeGroups(inventory, work.definition, wanted);
  if (groups.length === 0) return {};
  if (decided) return { groups };
  const ensured =
    (taskserv: string) =>
    ({ server }: MemberAt) =>
      isEnsured(work, server, taskserv) ? [server] : [];
  return { groups: groups.map((one) => ({ ...one, repairs: one.members.flatMap(ensured(one.taskserv)) })) };
}

/** The groups of these services, with where their members can be looked at. */
export function describeGroups(
  inventory: Pick<Inventory, 'servers'>,
  definition: Pick<WorkScope['definition'], 'servers'>,
  specs: readonly TaskservSpec[],
): { groups?: GroupAt[] } {
  const groups = specs.flatMap((spec): GroupAt[] => {
    const { name, group, module } = spec;
    if (group === undefined) return [];
    const members = describeMembers(inventory, definition, spec);
    return [{ ...{ taskserv: name, name: group, members }, ...(module !== undefined && { module }) }];
  });
  return groups.length > 0 ? { groups } : {};
}

/**
 * Members of a group, and where each can be looked at: those of the definition in its order, then those that are there
 * and that it does not name. The latter leave.
 */
export function describeMembers(
  { servers }: Pick<Inventory, 'servers'>,
  definition: Pick<WorkScope['definition'], 'servers'>,
  spec: Pick<TaskservSpec, 'name' | 'group' | 'config'>,
): MemberAt[] {
  const wanted = listMembers(definition, spec).map(({ server: { name }, spec: { config } }) =>
    locateMember(name, servers[name], spec, config),
  );
  const named = new Set(wanted.map(({ server }) => server));
  const others = Object.values(servers).filter(
    ({ name, services }) => !named.has(name) && services[spec.name]?.group === spec.group,
  );
  const leaving = others
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((server) => ({ ...locateMember(server.name, server, spec, spec.config), leaves: true as const }));
  return [...wanted, ...leaving];
}

/** A member, and where it can be looked at: as it is installed, or else with the wanted configuration. */
export function locateMember(
  server: string,
  now: InventoryServer | undefined,
  { name, group }: Pick<TaskservSpec, 'name' | 'group'>,
  config: unknown,
): MemberAt {
  const installed = now?.services[name];
  return {
    server,
    ...(now && { machine: now.id }),
    ...(now && !now.stopped && { at: { server, provider: now.provider, connection: now.connection } }),
    // One that has left, or was alone before, is no member by the inventory.
    ...(installed?.group === group && installed && { installed: true as const }),
    config: installed?.config ?? config,
  };
}

/**
 * Members of the definition in force that the next one drops, and that the inventory does not have though their machine is
 * there: their install failed, and may have joined. As services that are to be removed, since no definition tells of them
 * any more.
 */
export function findDroppedMembers(
  { definition, servers }: Pick<Inventory, 'servers' | 'definition'>,
  next: Pick<WorkScope['definition'], 'servers'>,
  since: string,
): InventoryChange[] {
  const grouped = (definition?.servers ?? []).flatMap(({ name, taskservs }) =>
    taskservs.flatMap((spec) =>
      spec.group !== undefined && servers[name] && !servers[name].services[spec.name] ? [{ server: name, spec }] : [],
    ),
  );
  const dropped = grouped.filter(({ server, spec }) => !listMembers(next, spec).some((one) => one.server.name === server));
  return dropped.map(({ server, spec: { name, version, config, module, group } }) => ({
    ...{ change: 'service', server },
    service: { taskserv: name, version, config, ...(module !== undefined && { module }), healthy: false, group, since },
  }));
}

const isEnsured = ({ ensureServices }: WorkScope, server: string, taskserv: string): boolean =>
  ensureServices.some((one) => one.server.name === server && one.taskservs.some(({ name }) => name === taskserv));

/**
 * Whether a group of these members keeps its majority while one of them restarts. One alone never does. The group itself
 * still counts members that are lost, and whose new machines have not joined.
 */
export function canSpareOne(standings: readonly (StandingMark | undefined)[]): boolean {
  const belong = standings.filter((one) => one?.joined);
  const serve = belong.filter((one) => one?.serves);
  const size = Math.max(belong.length, ...serve.map((one) => one?.voters ?? 0));
  return size < 2 || serve.length > Math.floor(size / 2) + 1;
}

/**
 * When a member is worked on: first those that belong to the group and do not serve, for each repaired one is one that
 * may be missing later; then those that serve, and the leader after them, so that it changes once; at last new ones. If
 * none that serves can be spared, as in a group of two that was left half founded, new ones come before those. A leader
 * that has to be changed first comes before all.
 */
export function rankMember(standing: StandingMark | undefined, sparesOne: boolean): number {
  if (standing?.first) return -1;
  if (!standing?.joined) return standing?.serves ? 2 : sparesOne ? 4 : 1;
  if (!standing.serves) return 0;
  return standing.leads ? 3 : 2;
}

const placesIn = memoizeByKey(
  (definition: WorkScope['definition']) => new Map(definition.servers.map(({ name }, index) => [name, index])),
);

interface OrderedMember {
  server: string;
  spec: TaskservSpec | undefined;
  standing: StandingMark | undefined;
}

/** Puts members of groups into the order of their work, by their standing, then as the definition has them. */
export function sortMembers<T>(work: WorkScope, items: readonly T[], describe: (item: T) => OrderedMember): T[] {
  const places = placesIn(work.definition);
  const spares = new Map<string, boolean>();
  const sparesOne = (group: string) => {
    const known = spares.get(group);
    if (known !== undefined) return known;
    const standings = items.filter((item) => groupIn(item) === group).map((item) => describe(item).standing);
    const spare = canSpareOne(standings);
    spares.set(group, spare);
    return spare;
  };
  const keyOf = (item: T): [number, number] => {
    const { server, standing } = describe(item);
    return [rankMember(standing, sparesOne(groupIn(item) ?? '')), places.get(server) ?? 0];
  };
  const groupIn = (item: T) => {
    const { spec } = describe(item);
    return spec && nameGroup(spec);
  };
  const compare = (one: T, other: T) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return a[0] - b[0] || a[1] - b[1];
  };
  return orderMembers(items, groupIn, compare);
}

/** All services in the order in which they are begun, members of one group by their standing. */
export function membersInOrder(
  work: WorkScope,
  decisionOn: (server: string, taskserv: string) => DecidedService | undefined,
): ServiceNode[] {
  return sortMembers(work, servicesInOrder(work), ({ server: { name }, spec }) => ({
    ...{ server: name, spec },
    standing: decisionOn(name, spec.name)?.standing,
  }));
}

/** Groups of which a member is changed, or may be: what was seen of the others before is no longer so. */
export function findChangingGroups(work: WorkScope, decisions: readonly ServerDecision[]): ReadonlySet<string> {
  const steps = new Map(
    decisions.flatMap(({ server, services }) => services.map((one) => [`${server}/${one.taskserv}`, one.steps.length] as const)),
  );
  const changes = (server: ServerSpec, { name }: TaskservSpec) => steps.get(`${server.name}/${name}`) !== 0;
  return new Set(
    work.ensureServices.flatMap(({ server, taskservs }) =>
      taskservs.flatMap((spec) => (spec.group !== undefined && changes(server, spec) ? (nameGroup(spec) ?? []) : [])),
    ),
  );
}
