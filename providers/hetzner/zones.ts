/** Zones behind abstract regions; `eu-central` has two more, Nuremberg and Helsinki. */
export const REGIONS: Readonly<Record<string, string>> = {
  'eu-central': 'fsn1',
  'eu-north': 'hel1',
  'us-east': 'ash',
  'us-west': 'hil',
  'ap-southeast': 'sin',
};

/** Location of servers whose definition names no zone. */
export const DEFAULT_LOCATION = 'fsn1';
