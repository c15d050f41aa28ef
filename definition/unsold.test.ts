import { describe, expect, test } from 'vitest';
import { load } from './fixtures.js';
import { problemText } from './source/problem.js';
import { readYaml } from './source/source.js';
import { type Offer, unsold } from './unsold.js';

const PRICE = { currency: 'EUR', hourly: 0.01 };
const plan = (name: string, cores: number, zones: string[]) => ({
  ...{ name, cores, memoryMiB: cores * 1024, diskGiB: 10 },
  zones: Object.fromEntries(zones.map((zone) => [zone, PRICE])),
});
const offer = (plans: Offer['sold']['plans'], zones = ['fsn', 'ash'], defaultZone?: string): Offer => ({
  sold: { plans, ...(defaultZone ? { defaultZone } : {}) },
  zones: zones.map((name) => ({ name, title: name })),
});

/** Faults of a definition on the provider `demo`, whose small plan is s1, if the provider sells this. */
async function wrong(text: string, sold: Offer): Promise<string[]> {
  const { definition, problems } = await load(text);
  expect(problems).toEqual([]);
  const source = readYaml('infra.yaml', text);
  if (!definition) throw new Error('the definition does not load');
  return unsold(source, definition.servers, new Map([['demo', sold]])).map(problemText);
}

const server = (more: string, top = '') => `infra: a\nprovider: demo\n${top}servers:\n  - { name: web, count: 2, ${more} }\n`;

describe('what a provider does not sell', () => {
  test('is said where the file says it, once for a group', async () => {
    const sold = offer([plan('s16', 16, ['fsn']), plan('s12', 12, ['ash']), plan('s1', 1, ['ash'])]);
    expect(await wrong(server('plan: s16, zone: ash'), sold)).toEqual([
      'infra.yaml:4:34: servers[0].plan: the plan "s16" is not sold in ash; it is in fsn; ash has s12, s1',
    ]);
    expect(await wrong(server('plan: s16, zone: fns'), sold)).toEqual([
      'infra.yaml:4:45: servers[0].zone: "demo" has no zone "fns"; did you mean "fsn"?',
    ]);
    expect(await wrong(server('plan: s16, zone: fsn'), sold)).toEqual([]);
  });

  test('is said of the region where that chose the zone, and of the server where nothing is written', async () => {
    expect(await wrong(server('plan: s16', 'region: us-east\n'), offer([], ['fsn']))).toEqual([
      'infra.yaml:3:9: region: "demo" has no zone "ash"; known: fsn',
    ]);
    const sold = offer([plan('s16', 16, ['fsn'])], ['fsn'], 'fsn');
    const [problem] = await wrong(server('role: web'), sold);
    expect(problem).toMatch(/^infra\.yaml:4:5: servers\[0\]: "demo" does not sell the plan "\w+" today; did you mean "s16"\?$/);
  });

  test('is left to the provider where its catalogue says nothing', async () => {
    expect(await wrong(server('plan: s16, zone: ash'), offer([plan('s1', 1, ['fsn'])]))).toEqual([]);
    expect(await wrong(server('plan: s16, zone: ash'), offer([plan('s1', 1, ['ash']), plan('s16', 16, [])]))).toEqual([]);
    expect(await wrong(server('plan: s16, zone: ash'), offer([], []))).toEqual([]);
  });

  test('an availability zone sells what its region does', async () => {
    const sold = offer([plan('s16', 16, ['eu-1']), plan('s1', 1, ['eu-2'])], ['eu-1', 'eu-1a', 'eu-2', 'eu-2b']);
    expect(await wrong(server('plan: s16, zone: eu-1a'), sold)).toEqual([]);
    expect(await wrong(server('plan: s16, zone: eu-2b'), sold)).toHaveLength(1);
  });
});
