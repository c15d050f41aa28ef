import type { Definition, ServerSpec, TaskservSpec } from '../definition/definition.js';
import { peersOf } from '../definition/peers.js';
import { inputError } from '../errors.js';
import type { Inventory, InventoryServer, InventoryService } from '../infra/inventory.js';
import type { Peer } from '../taskserv/taskserv.js';
import type { OperationRequest } from './operation.js';

/** Everything an operation is about, out of what it asks for and what exists. */
export interface WorkScope {
  /** Goal of the infra: the definition to apply, or the last applied one. */
  definition: Definition;
  ensureServers: ServerSpec[];
  removeServers: InventoryServer[];
  /** By server: the taskservs to be there, in dependency order. */
  ensureServices: { server: ServerSpec; taskservs: TaskservSpec[] }[];
  removeServices: ({ server: InventoryServer } & Pick<InventoryService, 'taskserv' | 'config' | 'module'>)[];
  /** All of the definition, or of it what an operation on some servers may look at. */
  peers: readonly Peer[];
}

/**
 * Narrows a definition to what an operation names.
 *
 * Throws input errors: `nothing-applied` (no definition yet), `unknown-server`,
 * `unknown-service`, `protected`, `other-provider`, `server-stopped`.
 */
export function workScopeOf(request: OperationRequest, inventory: Inventory): WorkScope {
  const { kind, intent, infra } = request;
  const definition = request.definition ?? inventory.definition;
  if (!definition && intent.verb === 'ensure') {
    throw inputError({
      code: 'nothing-applied',
      what: 'find the definition',
      on: infra,
      why: 'this infra has never been applied',
      hint: 'run provisioning apply FILE, or choose a definition with --file',
    });
  }
  const empty: Definition = { workspace: request.workspace, infra, onFailure: 'rollback', protect: false, servers: [] };
  const known = definition ?? empty;
  const base = { definition: known, peers: (!request.definition && inventory.peers) || peersOf(known) };
  const existing = Object.values(inventory.servers).sort((a, b) => (a.name < b.name ? -1 : 1));
  const [namedSet, wantedSet] = [new Set(intent.servers), new Set(intent.taskservs)];
  const named = (name: string) => intent.servers === undefined || namedSet.has(name);
  const wantedTaskserv = (name: string) => intent.taskservs === undefined || wantedSet.has(name);
  refuseUnknown(request, known, existing);

  if (intent.verb === 'delete' && kind !== 'taskserv') {
    const doomed = existing.filter(({ name }) => kind === 'cluster' || named(name));
    refuseProtected(inventory.definition, doomed, kind === 'cluster');
    return {
      ...base,
      ensureServers: [],
      removeServers: doomed,
      ensureServices: [],
      removeServices: servicesOf(doomed.filter(({ spec }) => spec.host)),
    };
  }
  if (intent.verb === 'delete') {
    const rows = servicesOf(existing.filter(({ name }) => named(name))).filter(({ taskserv }) => wantedTaskserv(taskserv));
    for (const { server } of rows) refuseStopped(server, infra);
    return { ...base, ensureServers: [], removeServers: [], ensureServices: [], removeServices: rows };
  }

  const servers = known.servers.filter(({ name }) => named(name));
  refuseMoved(servers, inventory);
  if (kind === 'server') return { ...base, ensureServers: servers, removeServers: [], ensureServices: [], removeServices: [] };
  const ensureServices = servers
    .map((server) => ({
      server,
      taskservs: intent.taskservs ? server.taskservs.filter(({ name }) => wantedTaskserv(name)) : server.taskservs,
    }))
    .filter(({ taskservs }) => taskservs.length > 0);
  if (kind === 'taskserv') {
    for (const { server } of ensureServices) refuseMissingServer(server.name, inventory, infra);
    for (const { server } of ensureServices) refuseStopped(inventory.servers[server.name], infra);
    return { ...base, ensureServers: [], removeServers: [], ensureServices, removeServices: [] };
  }
  const names = new Map(known.servers.map((server) => [server.name, server]));
  const removeServers = intent.prune ? existing.filter(({ name }) => !names.has(name)).sort(highestFirst) : [];
  refuseProtected(inventory.definition, removeServers, false);
  const removeServices = intent.prune
    ? [
        ...existing.flatMap((server) => unwantedOn(server, names.get(server.name))),
        ...servicesOf(removeServers.filter(({ spec }) => spec.host)),
      ]
    : [];
  return { ...base, ensureServers: servers, removeServers, ensureServices, removeServices };
}

/** `web-10` goes before `web-9`: when a count shrinks, the highest goes first. */
function highestFirst(a: InventoryServer, b: InventoryServer): number {
  return b.name.localeCompare(a.name, 'en', { numeric: true });
}

/** Services of a server that stays, which the definition no longer puts there. */
function unwantedOn(server: InventoryServer, wanted: ServerSpec | undefined) {
  if (!wanted) return [];
  const left = Object.values(server.services).filter(({ taskserv }) => !wanted.taskservs.some(({ name }) => name === taskserv));
  return left.map((service) => asRemoval(server, service));
}

function servicesOf(servers: InventoryServer[]) {
  return servers.flatMap((server) => Object.values(server.services).map((service) => asRemoval(server, service)));
}

const asRemoval = (server: InventoryServer, { taskserv, config, module }: InventoryService) => ({
  ...{ server, taskserv, config },
  ...(module !== undefined && { module }),
});

function refuseMissingServer(server: string, inventory: Inventory, infra: string): void {
  if (inventory.servers[server]) return;
  throw inputError({
    code: 'unknown-server',
    what: 'find the server',
    on: server,
    why: `infra "${infra}" has no such server yet`,
    hint: `provisioning server create ${server} --infra ${infra}`,
  });
}

/** Work on services starts no machine, and would wait in vain for a stopped one. */
function refuseStopped(server: InventoryServer | undefined, infra: string): void {
  if (!server?.stopped) return;
  throw inputError({
    code: 'server-stopped',
    what: 'reach the server',
    on: server.name,
    why: `${server.stopped} stopped it`,
    hint: `provisioning server start ${server.name} --infra ${infra}`,
  });
}

/** Its machine stays where it is: what another provider made would be forgotten, and paid for. */
function refuseMoved(servers: readonly ServerSpec[], inventory: Inventory): void {
  for (const { name, provider } of servers) {
    const there = inventory.servers[name];
    if (!there || there.provider === provider) continue;
    throw inputError({
      code: 'other-provider',
      what: 'find the server',
      on: name,
      why: `it runs at "${there.provider}", but the definition sets "${provider}"`,
      hint: `run provisioning server delete ${name} --infra ${inventory.infra} first, or rename the new server`,
    });
  }
}

function refuseUnknown({ intent, infra }: OperationRequest, definition: Definition, existing: InventoryServer[]): void {
  if (!intent.servers?.length && !intent.taskservs?.length) return;
  const servers = new Set([...definition.servers.map(({ name }) => name), ...existing.map(({ name }) => name)]);
  const taskservs = new Set([
    ...definition.servers.flatMap((server) => server.taskservs.map(({ name }) => name)),
    ...existing.flatMap(({ services }) => Object.keys(services)),
  ]);
  for (const name of intent.servers ?? []) {
    if (!servers.has(name))
      throw inputError({ code: 'unknown-server', what: 'find the server', on: name, why: `infra "${infra}" has ${list(servers)}` });
  }
  for (const name of intent.taskservs ?? []) {
    if (!taskservs.has(name))
      throw inputError({
        code: 'unknown-service',
        what: 'find the taskserv',
        on: name,
        why: `infra "${infra}" has ${list(taskservs)}`,
      });
  }
}

const list = (names: Set<string>) => (names.size === 0 ? 'none' : [...names].sort().join(', '));

function refuseProtected(definition: Definition | undefined, doomed: InventoryServer[], all: boolean): void {
  if (all && definition?.protect) {
    throw inputError({
      code: 'protected',
      what: 'delete the infra',
      on: definition.infra,
      why: 'it is protected against deletion',
      hint: 'set protect: false in its definition and apply it first',
    });
  }
  const kept = doomed.find(({ spec }) => spec.protect);
  if (kept)
    throw inputError({
      code: 'protected',
      what: 'delete the server',
      on: kept.name,
      why: 'it is protected against deletion',
      hint: 'set protect: false on it and apply that first',
    });
}
