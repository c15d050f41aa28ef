/** The region behind each abstract one, as far as every account has it open. */
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
