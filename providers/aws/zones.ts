import { inputError } from '../../sdk/index.js';
import type { Ask, Purpose, Region } from './ec2/account.js';
import { unless } from './errors.js';

/** Names of the availability zones of a region that the account may use. */
export async function zonesOf(ask: Ask): Promise<{ name: string; id: string }[]> {
  const { AvailabilityZones = [] } = await ask((ec2, options) => ec2.describeAvailabilityZones({}, options));
  const zones = AvailabilityZones.flatMap(({ ZoneName: name, ZoneId: id = '' }) => (name ? [{ name, id }] : []));
  return zones.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Zones come rarely and go never: those that an account has shown in a region are not asked for again. */
const shown = new WeakMap<Region, Set<string>>();

/** Throws the input error `unknown-zone` for what is no zone of the region; AWS itself would say so when half is made. */
export async function assertZone(region: Region, zone: string, purpose: Purpose): Promise<void> {
  if (shown.get(region)?.has(zone)) return;
  const zones = await unless(['UnauthorizedOperation'], zonesOf(region.for(purpose)));
  if (!zones) return;
  const names = zones.map(({ name }) => name);
  shown.set(region, new Set(names));
  if (!names.includes(zone)) unknownZone(zone, purpose, names, `the region ${region.name} has no zone "${zone}"`);
}

/** @param known those there are, where that was asked */
export function unknownZone(
  zone: string,
  { what, on }: Purpose,
  known?: readonly string[],
  why = known ? `the account has opened no region "${zone}"` : `"${zone}" is no zone of AWS`,
): never {
  const hint = known
    ? `there are ${known.join(', ')}`
    : 'write a region such as eu-central-1, or one of its zones such as eu-central-1a';
  throw inputError({ code: 'unknown-zone', what, on, why, hint });
}
