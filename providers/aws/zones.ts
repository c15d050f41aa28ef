import { inputError } from '../../sdk/index.js';
import type { Ask, Purpose, Region } from './ec2/region.js';
import { unless } from './errors.js';

/** Regions behind abstract names; only regions that are open to every account. */
export const REGIONS: Readonly<Record<string, string>> = {
  'eu-central': 'eu-central-1',
  'eu-west': 'eu-west-1',
  'eu-north': 'eu-north-1',
  'us-east': 'us-east-1',
  'us-central': 'us-east-2',
  'us-west': 'us-west-2',
  'ap-northeast': 'ap-northeast-1',
  'ap-southeast': 'ap-southeast-1',
  'ap-south': 'ap-south-1',
};

/** Region of region-independent requests, by default. */
export const FIRST_REGION = 'us-east-1';

export interface Place {
  region: string;
  /** Absent if only a region is wanted. */
  availabilityZone?: string;
}

const REGION = /^(af|ap|ca|cn|eu|il|me|mx|sa|us)(-[a-z]+)+-\d+/;

/** Parses a zone: an abstract region, a region, or an availability zone; undefined for other names. */
export function parseZone(zone: string): Place | undefined {
  const name = REGIONS[zone] ?? zone;
  const [region] = REGION.exec(name) ?? [];
  if (!region) return undefined;
  return name === region ? { region } : { region, availabilityZone: name };
}

/** Lists a region's availability zones that the account may use. */
export async function listAvailabilityZones(ask: Ask): Promise<{ name: string; id: string }[]> {
  const { AvailabilityZones = [] } = await ask((ec2, options) => ec2.describeAvailabilityZones({}, options));
  const zones = AvailabilityZones.flatMap(({ ZoneName: name, ZoneId: id = '' }) => (name ? [{ name, id }] : []));
  return zones.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Zones are rarely added and never removed, so a region's zones are requested once. */
const shown = new WeakMap<Region, Set<string>>();

/** Throws the input error `unknown-zone` for a zone outside the region. AWS would fail after half of the creation. */
export async function assertZone(region: Region, zone: string, purpose: Purpose): Promise<void> {
  if (shown.get(region)?.has(zone)) return;
  const zones = await unless(['UnauthorizedOperation'], listAvailabilityZones(region.for(purpose)));
  if (!zones) return;
  const names = zones.map(({ name }) => name);
  shown.set(region, new Set(names));
  if (!names.includes(zone)) unknownZone(zone, purpose, names, `the region ${region.name} has no zone "${zone}"`);
}

/** @param known existing zones, if they were requested */
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
