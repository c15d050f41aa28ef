import { type Access, type CreateContext, cloudInit, inputError, type WantedServer } from '../../../sdk/index.js';
import { addressScript, findLeftAddress, reserveAddress } from '../addresses.js';
import type { Network, Plan, Server, ServerGroup, Storage } from '../client/index.js';
import { ensureRules } from '../firewall.js';
import { templateFor } from '../images.js';
import { networkFor } from '../networks.js';
import { ensurePlacement } from '../placement.js';
import { OWN_DISK_GIB } from '../plans.js';
import { switchOn } from '../servers/power.js';
import { devicePath, ensureVolumes } from '../volumes.js';
import { assertZone, zoneNamed } from '../zones.js';
import type { Cloud } from './cloud.js';
import { findServerDetail, throwNotSettled } from './find.js';
import { createLabels, listLabels } from './labels.js';
import { addressIn } from './private-address.js';

/** Creates a server and its belongings. All errors in the definition are found before anything is created. */
export async function makeServer(cloud: Cloud, wanted: WantedServer, context: CreateContext & { access: Access }): Promise<Server> {
  const { signal } = context;
  const network = await networkFor(cloud, wanted, context);
  const zone = wanted.zone ? zoneNamed(wanted.zone) : network.zone;
  await assertZone(cloud, zone, signal);
  if (zone !== network.zone) otherZone(wanted, zone, network);
  const plan = planFor(wanted, await cloud.offer.plans(signal));
  const template = templateFor(wanted.image, await cloud.offer.templates(signal));
  const group = wanted.placement ? await ensurePlacement(cloud, wanted.placement, context) : undefined;
  const volumes = await ensureVolumes(cloud, wanted, zone, context);
  const left = wanted.address ? await findLeftAddress(cloud, wanted.name, context) : undefined;
  // Sequential per network: the address is chosen among the free ones.
  return cloud.inTurn(`addresses/${network.uuid}`, async () => {
    const address = await addressIn(cloud, network, wanted.name, context);
    const request = requestFor({ wanted, zone, plan, template, network, address, left, group, volumes }, context);
    return cloud.client.servers.create(request, { signal });
  });
}

interface Parts {
  wanted: WantedServer;
  zone: string;
  plan: Plan;
  template: Storage;
  network: Network;
  /** Address in the network. */
  address?: string;
  /** Address left by a former machine of this name. */
  left?: string;
  group?: ServerGroup;
  volumes: readonly Storage[];
}

type Request = Parameters<Cloud['client']['servers']['create']>[0];

function requestFor(
  { wanted, zone, plan, template, network, address, left, group, volumes }: Parts,
  context: CreateContext & { access: Access },
): Request {
  const { name, image, placement } = wanted;
  const title = `${context.scope.infra}-${name}`;
  const mounts = wanted.volumes.map(({ mount }, index) => ({ device: devicePath(volumes[index]?.uuid ?? ''), mount }));
  const disk = plan.storage_size || OWN_DISK_GIB;
  return {
    title,
    hostname: name,
    zone,
    plan: plan.name,
    // Templates with cloud-init read their user data from the metadata service.
    metadata: true,
    firewall: wanted.firewall !== undefined,
    labels: listLabels({
      ...createLabels(context, 'server', name, {
        image,
        network: wanted.network,
        ...(address ? { private: address } : {}),
        ...(placement ? { placement } : {}),
      }),
      ...wanted.labels,
    }),
    storage_devices: [
      {
        action: 'clone',
        storage: template.uuid,
        title: `${title}-system`,
        size: Math.max(disk, template.size),
        tier: plan.storage_tier ?? 'maxiops',
      },
      ...volumes.map(({ uuid }) => ({ action: 'attach' as const, storage: uuid })),
    ],
    networking: {
      interfaces: [
        { type: 'public', ip_addresses: [{ family: 'IPv4' }] },
        { type: 'public', ip_addresses: [{ family: 'IPv6' }] },
        { type: 'private', network: network.uuid, ip_addresses: [{ family: 'IPv4', ...(address ? { address } : {}) }] },
      ],
    },
    user_data: cloudInit({ hostname: name, access: context.access, mounts, scripts: left ? [addressScript(left)] : [] }),
    ...(group ? { server_group: group.uuid } : {}),
  };
}

/** Sets what the creating call cannot set. It can be repeated. */
export async function finishServer(cloud: Cloud, server: Server, wanted: WantedServer, context: CreateContext): Promise<Server> {
  const { signal } = context;
  let now: Server = server;
  if (wanted.firewall || now.state === 'stopped') {
    // Only existing servers accept rules: wait for the boot, so that it is never open for long.
    now = (await switchOn(cloud, now.uuid, signal)) ?? throwNotSettled(wanted.name);
    if (wanted.firewall) await ensureRules(cloud, now.uuid, wanted.firewall, signal);
  }
  if (wanted.address) {
    await reserveAddress(cloud, now, wanted.name, context);
    now = (await findServerDetail(cloud, now.uuid, signal)) ?? throwNotSettled(wanted.name);
  }
  return now;
}

/** Returns the plan from the present offer. Throws the input error `unknown-plan`. */
export function planFor({ name, plan }: Pick<WantedServer, 'name' | 'plan'>, plans: readonly Plan[]): Plan {
  const found = plans.find((one) => one.name === plan.name);
  if (found) return found;
  const alike = plans.filter((one) => one.core_number === plan.cores).map((one) => one.name);
  throw inputError({
    code: 'unknown-plan',
    what: `choose the plan of ${name}`,
    on: plan.name,
    why: 'UpCloud has no such plan',
    hint: `there are ${(alike.length > 0 ? alike : plans.map((one) => one.name)).join(', ')}`,
  });
}

function otherZone({ name }: WantedServer, zone: string, network: Network): never {
  throw inputError({
    code: 'unknown-zone',
    what: 'create the server',
    on: name,
    why: `it belongs to ${zone}, but its network "${network.name}" is in ${network.zone}`,
    hint: 'use a separate network for servers in another zone',
  });
}
