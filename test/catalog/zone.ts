import { startHetzner } from '../clouds/hetzner/stand-in.js';
import { addZone } from '../clouds/hetzner/zones.js';
import type { ZoneRecords } from './proof.js';

/** Zone in which proofs may have records. */
const ZONE = 'example.org';

let open: Awaited<ReturnType<typeof startHetzner>> | undefined;

/**
 * Starts a stand-in of a cloud with a zone. Workers that start later know it as Hetzner, through their environment.
 *
 * @returns a function that stops it
 */
export async function openZone(): Promise<() => Promise<void>> {
  const cloud = await startHetzner();
  open = cloud;
  addZone(cloud.world, ZONE);
  Object.assign(process.env, { HCLOUD_TOKEN: cloud.token, HCLOUD_ENDPOINT: cloud.endpoint });
  return () => cloud.close();
}

/** Returns the records of the zone. */
export function inZone(): ZoneRecords {
  const rrsets = open?.world.state.zones.get(ZONE)?.rrsets ?? [];
  return Object.fromEntries(rrsets.map(({ name, type, records }) => [`${name} ${type}`, records.map(({ value }) => value).sort()]));
}
