/** Zones of the regions. The first one is the default zone. */
export const REGIONS: Readonly<Record<string, string>> = {
  'eu-central': 'demo-eu-1',
  'eu-north': 'demo-eu-2',
  'us-east': 'demo-us-1',
};
export const ZONES: readonly string[] = Object.values(REGIONS);
