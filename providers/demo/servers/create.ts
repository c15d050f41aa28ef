import { setTimeout as sleep } from 'node:timers/promises';
import { type CallContext, type CreateContext, type FoundServer, inputError, type WantedServer } from '../../../sdk/index.js';
import { keepOthers } from '../account/others.js';
import { throwGone } from '../errors.js';
import { IMAGES } from '../images.js';
import { SIZES } from '../plans.js';
import { ask, effect } from '../store/calls.js';
import type { Touch } from '../store/journal.js';
import { checkOurs } from '../store/ownership.js';
import { type DemoServer, type DemoState, idOf, note } from '../store/state.js';
import { addVolumes, sizesOf } from '../volumes.js';
import { ZONES } from '../zones.js';
import { describeServer, type Servers } from './describe.js';

const POLL_MS = 50;

/** Returns the existing server, or a new entry. */
export const createServer = ({ store, account }: Servers, wanted: WantedServer, context: CreateContext): Promise<FoundServer> =>
  effect(store, { verb: 'servers.create', name: wanted.name, signal: context.signal }, (state, touch) =>
    describeServer(
      checkOurs('server', wanted.name, context.scope, state.servers[idOf(context.scope, wanted.name)]) ??
        makeServer(state, wanted, context, touch),
      account,
    ),
  );

/** Waits until the server has started. */
export async function waitForServer(
  { store, account }: Servers,
  name: string,
  { scope, signal, beat }: CallContext & { beat?: (what: string) => void },
): Promise<FoundServer> {
  for (;;) {
    const found = await ask(store, { verb: 'servers.ready', name, signal }, ({ servers }) => {
      const server = checkOurs('server', name, scope, servers[idOf(scope, name)]) ?? throwGone('server', name);
      return describeServer(server, account);
    });
    if (found.status === 'running') return found;
    beat?.('Wait for its start');
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** Creates the entry of a server. All checks come first, because a change must throw before it changes anything. */
function makeServer(state: DemoState, wanted: WantedServer, { scope, key }: CreateContext, touch: Touch): DemoServer {
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

function refuseUnknown(state: DemoState, wanted: WantedServer, scope: CreateContext['scope']): void {
  const { name, host, plan, image, zone, network, existingNetwork } = wanted;
  if (host) throw refusal(name, 'no-existing-hosts', 'the demo provider has no machines, so it cannot take over an existing one');
  if (!Object.values(SIZES).some((size) => size.name === plan.name))
    throw refusal(name, 'unknown-plan', `no plan "${plan.name}" is sold`);
  if (!IMAGES.some((known) => known === image)) throw refusal(name, 'unknown-image', `there is no image "${image}"`);
  if (zone !== undefined && !ZONES.includes(zone)) throw refusal(name, 'unknown-zone', `there is no zone "${zone}"`);
  const there =
    existingNetwork === undefined
      ? checkOurs('network', network, scope, state.networks[idOf(scope, network)])
      : state.foreignNetworks?.includes(existingNetwork);
  if (!there) throw refusal(name, 'network-missing', `there is no network "${network}"`);
}

const refusal = (on: string, code: string, why: string) => inputError({ code, what: 'create the server', on, why });
