import type { Definition, ServerSpec, TaskservSpec } from '../definition/definition.js';
import { peersOf } from '../definition/peers.js';
import { inputError } from '../errors.js';
import type { Inventory, InventoryServer } from '../infra/inventory.js';
import type { Connection, FoundServer } from '../machine/provider.js';
import type { OperationRequest } from './operation.js';
import type { WorkScope } from './work-scope.js';

export const POWER_VERBS = ['start', 'stop', 'restart'] as const;
export type PowerVerb = (typeof POWER_VERBS)[number];

export const isPowerVerb = (verb: string): verb is PowerVerb => (POWER_VERBS as readonly string[]).includes(verb);

/** Power state of a server, from its provider. */
export interface FoundPower {
  server: string;
  id: string;
  status: FoundServer['status'];
  connection: Connection;
}

/** Needed power change of a server; `none` if it already has the state. */
export interface PowerChange extends FoundPower {
  action: PowerVerb | 'none';
}

/** Returns the needed power change. A restart only starts a server that is off. */
export function powerChangeOf(verb: PowerVerb, found: FoundPower): PowerChange {
  const off = found.status === 'stopped';
  const action = verb === 'stop' ? (off ? 'none' : 'stop') : off ? 'start' : verb === 'restart' ? 'restart' : 'none';
  // One that is starting is waited for.
  return { ...found, action: verb === 'start' && found.status === 'starting' ? 'start' : action };
}

const TITLES = { start: 'Start the server', stop: 'Stop the server', restart: 'Restart the server' } as const;

export const powerTitle = (verb: PowerVerb, server: string): string => `${TITLES[verb]} ${server}`;

/**
 * Returns the servers that an operation switches. Throws the input errors `unknown-server`, and `cannot-switch` for
 * existing machines, because the platform cannot switch them.
 */
export function powerTargets({ intent, infra }: OperationRequest, inventory: Inventory): InventoryServer[] {
  const verb = intent.verb as PowerVerb;
  const what = `${verb} the server`;
  const names = [...new Set(intent.servers ?? [])];
  const missing = names.filter((name) => !inventory.servers[name]);
  const [first = ''] = missing;
  if (missing.length > 0) {
    const planned = inventory.definition?.servers.some(({ name }) => name === first);
    throw inputError({
      code: 'unknown-server',
      what,
      on: missing.join(', '),
      why: `infra "${infra}" has no such server${planned ? ' yet' : ''}`,
      hint: planned ? `provisioning server create ${first} --infra ${infra}` : 'provisioning server list',
    });
  }
  const targets = names.flatMap((name) => inventory.servers[name] ?? []);
  const own = targets.filter(({ spec }) => spec.host);
  if (own.length > 0) throw cannotSwitch(verb, own, 'it existed before and is not a machine of a provider');
  return targets;
}

/** Error about machines that cannot be switched, with an alternative. */
export function cannotSwitch(verb: PowerVerb, servers: readonly { name: string }[], why: string) {
  const [first] = servers;
  const inside = `provisioning server ssh ${first?.name} -- sudo systemctl ${verb === 'stop' ? 'poweroff' : 'reboot'}`;
  return inputError({
    code: 'cannot-switch',
    what: `${verb} the server`,
    on: servers.map(({ name }) => name).join(', '),
    why,
    hint:
      verb === 'start' ? 'switch the machine on by hand' : `run ${servers.length > 1 ? 'for each server, such as ' : ''}${inside}`,
  });
}

/** Scope of load balancers and health checks: the last applied definition, and servers that it no longer names. */
export function powerScopeOf({ workspace, infra }: OperationRequest, inventory: Inventory, targets: InventoryServer[]): WorkScope {
  const empty: Definition = { workspace, infra, onFailure: 'rollback', protect: false, servers: [] };
  const known = inventory.definition ?? empty;
  const named = new Set(known.servers.map(({ name }) => name));
  const others = targets.flatMap(({ name, spec }): ServerSpec[] => (named.has(name) ? [] : [{ ...spec, taskservs: [] }]));
  return {
    definition: { ...known, servers: [...known.servers, ...others] },
    peers: inventory.peers ?? peersOf(known),
    ensureServers: [],
    removeServers: [],
    ensureServices: [],
    removeServices: [],
  };
}

/** The services on a server as they were installed, in the order in which they are begun. */
export function listInstalled({ name, services }: InventoryServer, { definition }: WorkScope): TaskservSpec[] {
  const wanted = definition.servers.find((server) => server.name === name)?.taskservs ?? [];
  const place = (taskserv: string) => {
    const index = wanted.findIndex((one) => one.name === taskserv);
    return index < 0 ? wanted.length : index;
  };
  return Object.values(services)
    .sort((a, b) => place(a.taskserv) - place(b.taskserv) || (a.taskserv < b.taskserv ? -1 : 1))
    .map(({ taskserv, version, config, module, group }) => ({
      endpoints: [],
      after: [],
      ...wanted.find((one) => one.name === taskserv),
      name: taskserv,
      version,
      config,
      module,
      // One that has left its group, or whose server the definition has dropped, is in none by that.
      group,
    }));
}

/** The server as the inventory has it once it runs, or has been switched off by an operation. */
export function markSwitched({ stopped: _, ...server }: InventoryServer, by?: string): InventoryServer {
  return by === undefined ? server : { ...server, stopped: by };
}
