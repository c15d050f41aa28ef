import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bait, CANARY, GOT_NOWHERE, layBait, WAYS } from '../../../test/support/escape-ways.js';

describe('a definition in TypeScript gets to nothing of this machine', { timeout: 60_000 }, () => {
  let bait: Bait;
  beforeAll(async () => {
    bait = await layBait();
  });
  afterAll(() => bait.end());

  test('by any of the ways, while a legitimate one beside them is read', async () => {
    const found: [string, string][] = [];
    // Four at a time: each is a process of its own.
    for (let first = 0; first < WAYS.length; first += 4)
      await Promise.all(
        WAYS.slice(first, first + 4).map(async ([title, way], index) => {
          found.push([title, await bait.read(`way-${first + index}`, way)]);
        }),
      );
    expect(await bait.reached()).toEqual([]);
    expect(found.filter(([, said]) => said.includes(CANARY))).toEqual([]);
    expect(found.filter(([, said]) => !GOT_NOWHERE.test(said))).toEqual([]);
    expect(JSON.parse(await bait.read('twin', `export default { infra: reach({}) + 'shop' };`))).toMatchObject({
      value: { infra: 'xshop' },
    });
  });
});
