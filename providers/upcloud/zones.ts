import { inputError } from '../../sdk/index.js';
import type { Cloud } from './cloud/cloud.js';

/** Zones behind abstract regions. */
export const REGIONS: Readonly<Record<string, string>> = {
  'eu-central': 'de-fra1',
  'eu-north': 'fi-hel1',
  'eu-west': 'nl-ams1',
  'us-east': 'us-nyc1',
  'us-west': 'us-sjo1',
  'ap-southeast': 'sg-sin1',
};

/** Zone by default. */
export const DEFAULT_ZONE = 'de-fra1';

/** Returns the zone for its own name, or for the name of its region. */
export const zoneNamed = (name: string): string => REGIONS[name] ?? name;

/** Throws the input error `unknown-zone` for an unknown zone. */
export async function assertZone({ offer }: Cloud, zone: string, signal?: AbortSignal): Promise<void> {
  const zones = await offer.zones(signal);
  if (zones.some(({ id }) => id === zone)) return;
  throw inputError({
    code: 'unknown-zone',
    what: 'choose the zone',
    on: zone,
    why: 'UpCloud has no such zone',
    hint: `there are ${zones.map(({ id }) => id).join(', ')}`,
  });
}
