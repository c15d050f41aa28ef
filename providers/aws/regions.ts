/** The region behind each abstract one. */
export const REGIONS: Readonly<Record<string, string>> = {
  'eu-central': 'eu-central-1',
  'eu-north': 'eu-north-1',
  'eu-west': 'eu-west-1',
  'us-east': 'us-east-1',
  'us-west': 'us-west-2',
  'ap-southeast': 'ap-southeast-1',
};

/** Where to ask what is the same everywhere, as long as nothing says another. */
export const FIRST_REGION = 'us-east-1';

export interface Place {
  region: string;
  /** Absent where the region is all that is asked for. */
  availabilityZone?: string;
}

const REGION = /^(af|ap|ca|cn|eu|il|me|mx|sa|us)(-[a-z]+)+-\d+/;

/** What a definition's zone means: an abstract region, a region, or an availability zone; undefined where it is none of these. */
export function placeOf(zone: string): Place | undefined {
  const name = REGIONS[zone] ?? zone;
  const [region] = REGION.exec(name) ?? [];
  if (!region) return undefined;
  return name === region ? { region } : { region, availabilityZone: name };
}
