import type { ServerSpec } from '../../core/definition/definition.js';
import { isThisHost, thisHostRefused } from '../../core/definition/this-host.js';
import { listWrittenKeys } from '../../core/definition/written-keys.js';
import { inputError } from '../../core/errors.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import type { Scope } from '../../core/machine/call-context.js';
import { describeExistingMachine } from '../../core/machine/existing.js';
import type { FoundServer, ProviderConnection, WantedNetwork } from '../../core/machine/provider.js';
import type { MachinePlan, ServerChange } from '../../core/operation/machine-plan.js';
import type { Dependencies } from '../dependencies.js';
import { callContexts } from './call-context.js';
import type { ConnectionOf } from './provider-connections.js';
import { volumesGrown } from './volumes-grown.js';

export interface PlanServersInput {
  scope: Scope;
  ensure: Omit<ServerSpec, 'taskservs'>[];
  /** From the inventory: servers to be taken away. */
  remove: Pick<InventoryServer, 'name' | 'provider' | 'spec'>[];
}

/** Compares what is wanted with what each provider has; changes nothing. */
export function createPlanServers({
  keys,
  taskQueue: setup,
  allowsThisHost = async () => false,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  const callContext = callContexts(setup);

  /** One that was there already is not ours to be found. */
  async function isMissing(wanted: WantedNetwork, provider: string, scope: Scope): Promise<boolean> {
    if (wanted.existing !== undefined) return false;
    const { networks } = await connectionOf(provider);
    const there = await networks.read(wanted.name, callContext(scope));
    const diff = there && networks.diff(wanted, there);
    if (diff && diff.action !== 'noop')
      throw inputError({
        code: 'network-differs',
        what: 'change the network',
        on: wanted.name,
        why: `it exists and cannot be changed: ${diff.changes.join(', ')}`,
        hint: 'use a network with another name for its servers, or keep its range',
      });
    return there === undefined;
  }

  return async function planServers({ scope, ensure, remove }: PlanServersInput): Promise<MachinePlan> {
    const here = ensure.find(({ host }) => isThisHost(host));
    if (here && !(await allowsThisHost())) throw thisHostRefused(here.name);
    const servers: ServerChange[] = [];
    const listed = new Map<string, Map<string, FoundServer>>();
    const managed = ensure.filter(({ host }) => !host);
    // A single server is queried by name: a full list would cost each of many operations the same again.
    for (const provider of new Set(managed.length > 1 ? managed.map(({ provider }) => provider) : [])) {
      const found = await (await connectionOf(provider)).servers.list(callContext(scope));
      listed.set(provider, new Map(found.map((server) => [server.name, server])));
    }
    for (const spec of ensure) {
      if (spec.host) {
        // The declared key counts before the first connection, and overrides a key that was seen before.
        for (const { name, key } of listWrittenKeys(spec)) await keys.pin(scope, name, key);
        servers.push({ server: spec.name, action: 'adopt', changes: [], volumes: [], ...describeExistingMachine(spec.host) });
        continue;
      }
      const provider = await connectionOf(spec.provider);
      const there = listed.get(spec.provider)?.get(spec.name) ?? (await provider.servers.read(spec.name, callContext(scope)));
      servers.push(there ? changeOf(provider, spec, there) : { server: spec.name, action: 'create', changes: [], volumes: [] });
    }
    for (const { name, spec } of remove) {
      servers.push({
        server: name,
        action: 'delete',
        changes: [],
        volumes: spec.host ? [] : spec.volumes.map((volume) => volume.name),
      });
    }
    const networks = [];
    for (const { provider, ...network } of networksOf(ensure)) {
      networks.push({ ...network, provider, missing: await isMissing(network, provider, scope) });
    }
    return { servers, networks };
  };
}

/** The networks that servers are in, each with what is said of it. */
function networksOf(servers: PlanServersInput['ensure']): (WantedNetwork & { provider: string })[] {
  const networks = new Map<string, WantedNetwork & { provider: string }>();
  for (const { host, network: name, provider, networkRange: range, existingNetwork: existing, zone } of servers) {
    const key = `${provider}/${name}`;
    if (host || networks.has(key)) continue;
    networks.set(key, {
      name,
      provider,
      ...(range ? { range } : {}),
      ...(existing ? { existing } : {}),
      ...(zone ? { zone } : {}),
    });
  }
  return [...networks.values()];
}

/** Returns the change of an existing machine. A stopped machine is started, whatever else differs. */
function changeOf(provider: ProviderConnection, spec: Omit<ServerSpec, 'taskservs'>, there: FoundServer): ServerChange {
  const { id, connection, status, volumes, devices } = there;
  const disks = devices ? { devices } : {};
  refuseToShrink(provider, spec, there);
  const diff = provider.servers.diff(spec, there);
  const changes = diff.action === 'noop' ? [] : diff.changes;
  if (diff.action === 'replace') return { server: spec.name, action: 'replace', changes, volumes, id, connection };
  if (status === 'stopped')
    return {
      server: spec.name,
      action: 'update',
      changes: changes.length > 0 ? changes : ['start it'],
      volumes: [],
      id,
      stopped: true,
    };
  return { server: spec.name, action: diff.action, changes, volumes: [], id, connection, ...disks };
}

function refuseToShrink(
  provider: ProviderConnection,
  { name, volumes }: Pick<ServerSpec, 'name' | 'volumes'>,
  found: FoundServer,
): void {
  const [smaller] = volumesGrown(provider, volumes, found);
  if (!smaller) return;
  const { volumeSizes = {} } = found;
  throw inputError({
    code: 'volume-shrinks',
    what: 'change the server',
    on: name,
    why: `its volume "${smaller.name}" has ${volumeSizes[smaller.name]} GiB and would have ${smaller.sizeGiB} GiB; a volume can only grow`,
    hint: `write size: ${volumeSizes[smaller.name]} GiB, or rename the smaller volume: the former volume is then deleted with its data`,
  });
}
