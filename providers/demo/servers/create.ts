import { type CreateContext, inputError, type ServerWanted } from '../../../sdk/index.js';
import { keepOthers } from '../account/others.js';
import { IMAGES, SIZES, ZONES } from '../plans.js';
import type { Touch } from '../store/journal.js';
import { ours } from '../store/ownership.js';
import { type DemoServer, type DemoState, idOf, note } from '../store/state.js';

/** Checks first, changes after: a change of the store throws before it changes anything. */
export function makeServer(state: DemoState, wanted: ServerWanted, { scope, key }: CreateContext, touch: Touch): DemoServer {
  refuseUnknown(state, wanted, scope);
  const quota = state.settings.limits.servers ?? Number.POSITIVE_INFINITY;
  const { name, role, plan, image, zone, labels, volumes, network, firewall, placement, address } = wanted;
  if (Object.keys(state.servers).length >= quota) throw refusal(name, 'quota-exceeded', `the account may have ${quota} servers`);
  addVolumes(state, wanted, { scope, key }, touch);
  const bootedAt = Date.now() + (state.settings.latencyMs.boot ?? 0);
  const server: DemoServer = {
    name,
    role,
    plan: plan.name,
    image,
    zone,
    labels,
    volumes: volumes.map((volume) => volume.name),
    network,
    scope,
    key,
    bootedAt,
    services: {},
    ...(firewall ? { firewall } : {}),
    ...(placement ? { placement } : {}),
    ...(address ? { address } : {}),
  };
  Object.assign(server, sizesOf(state, server));
  keepOthers(state, wanted, { scope, key }, touch);
  touch('servers', idOf(scope, name));
  state.servers[idOf(scope, name)] = server;
  note(state, 'servers.create', name, key);
  return server;
}

/** Sizes of the volumes that a server has. */
export function sizesOf({ volumes }: DemoState, { name, scope, volumes: attached }: DemoServer): Pick<DemoServer, 'volumeSizes'> {
  const sizes = attached.flatMap((volume) => {
    const size = volumes[idOf(scope, `${name}/${volume}`)]?.sizeGiB;
    return size === undefined ? [] : [[volume, size] as const];
  });
  return sizes.length > 0 ? { volumeSizes: Object.fromEntries(sizes) } : {};
}

/** Makes volumes that are missing, and grows those that are smaller. */
export function addVolumes(
  state: DemoState,
  { name: server, volumes }: ServerWanted,
  { scope, key }: Pick<CreateContext, 'scope' | 'key'>,
  touch: Touch,
): void {
  for (const { name: own, sizeGiB } of volumes) {
    const name = `${server}/${own}`;
    touch('volumes', idOf(scope, name));
    state.volumes[idOf(scope, name)] = { name, scope, key, ...state.volumes[idOf(scope, name)], sizeGiB };
  }
}

function refuseUnknown(state: DemoState, wanted: ServerWanted, scope: CreateContext['scope']): void {
  const { name, host, plan, image, zone, network, existingNetwork } = wanted;
  if (host) throw refusal(name, 'no-existing-hosts', 'the demo provider has no machines, so none can exist already');
  if (!Object.values(SIZES).some((size) => size.name === plan.name))
    throw refusal(name, 'unknown-plan', `no plan "${plan.name}" is sold`);
  if (!IMAGES.some((known) => known === image)) throw refusal(name, 'unknown-image', `there is no image "${image}"`);
  if (zone !== undefined && !ZONES.includes(zone)) throw refusal(name, 'unknown-zone', `there is no zone "${zone}"`);
  const there =
    existingNetwork === undefined
      ? ours('network', network, scope, state.networks[idOf(scope, network)])
      : state.foreignNetworks?.includes(existingNetwork);
  if (!there) throw refusal(name, 'network-missing', `there is no network "${network}"`);
}

const refusal = (on: string, code: string, why: string) => inputError({ code, what: 'create the server', on, why });
