/** The zone of each region; the first is where a server goes that names none. */
export const REGIONS: Readonly<Record<string, string>> = {
  'eu-central': 'demo-eu-1',
  'eu-north': 'demo-eu-2',
  'us-east': 'demo-us-1',
};
export const ZONES: readonly string[] = Object.values(REGIONS);
