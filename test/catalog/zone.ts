import { startHetzner } from '../clouds/hetzner/stand-in.js';
import { addZone } from '../clouds/hetzner/zones.js';
import type { ZoneRecords } from './proof.js';

/** The zone that proofs may have records in. */
const ZONE = 'example.org';

let open: Awaited<ReturnType<typeof startHetzner>> | undefined;

/**
 * Starts a stand-in of a cloud that has a zone. Workers that are started after it know it as Hetzner, by their environment.
 *
 * @returns ends it
 */
export async function openZone(): Promise<() => Promise<void>> {
  const cloud = await startHetzner();
  open = cloud;
  addZone(cloud.world, ZONE);
  Object.assign(process.env, { HCLOUD_TOKEN: cloud.token, HCLOUD_ENDPOINT: cloud.endpoint });
  return () => cloud.close();
}

/** What the zone has. */
export function inZone(): ZoneRecords {
  const rrsets = open?.world.state.zones.get(ZONE)?.rrsets ?? [];
  return Object.fromEntries(rrsets.map(({ name, type, records }) => [`${name} ${type}`, records.map(({ value }) => value).sort()]));
}
