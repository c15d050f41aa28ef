import * as z from 'zod';
import { type Access, type CreateContext, cloudInit, type WantedServer } from '../../../sdk/index.js';
import { ensureAddress } from '../addresses.js';
import { type Action, action, type Server, server } from '../api/shapes.js';
import { ensureFirewall } from '../firewall.js';
import { networkFor } from '../networks.js';
import { ensurePlacement } from '../placement.js';
import { devicePath, ensureVolumes } from '../volumes.js';
import { DEFAULT_LOCATION } from '../zones.js';
import { ensureKey } from './keys.js';
import { hetznerName } from './labels.js';
import { serverLabels } from './machine-labels.js';
import type { Project } from './project.js';

const made = z.object({ server, action, next_actions: z.array(action) });

export interface NewServer {
  row: Server;
  /** Actions in progress for the server. */
  actions: Action[];
}

/** Creates a server with all its belongings in one request, after its prerequisites. */
export async function makeServer(
  project: Project,
  wanted: WantedServer,
  context: CreateContext & { access: Access },
): Promise<NewServer> {
  const location = wanted.zone ?? DEFAULT_LOCATION;
  const network = await networkFor(project, wanted, location, context);
  // Sequential, the cheapest to lose first.
  const key = await ensureKey(project, context.access.authorizedKey, context);
  const placement = wanted.placement && (await ensurePlacement(project, wanted.placement, context));
  const firewall = wanted.firewall && (await ensureFirewall(project, wanted, context));
  const address = wanted.address && (await ensureAddress(project, wanted, location, context));
  const volumes = await ensureVolumes(project, wanted, location, context);
  const mounts = wanted.volumes.flatMap(({ mount }, index) => {
    const volume = volumes[index];
    return volume ? [{ device: devicePath(volume), mount }] : [];
  });
  const body = {
    name: hetznerName(context.scope, wanted.name),
    server_type: wanted.plan.name,
    image: wanted.image,
    location,
    labels: serverLabels(wanted, context),
    ssh_keys: [String(key.id)],
    networks: [network.id],
    ...(volumes.length > 0 ? { volumes: volumes.map(({ id }) => id), automount: false } : {}),
    ...(firewall ? { firewalls: [{ firewall: firewall.id }] } : {}),
    ...(placement ? { placement_group: placement.id } : {}),
    public_net: { enable_ipv4: true, enable_ipv6: true, ...(address ? { ipv4: address.id } : {}) },
    start_after_create: true,
    user_data: cloudInit({ hostname: wanted.name, access: context.access, mounts }),
  };
  const about = { what: 'make the server', on: wanted.name, signal: context.signal };
  const answer = await project.api.post(made, 'servers', body, about);
  return { row: answer.server, actions: [answer.action, ...answer.next_actions] };
}
