import { afterAll, beforeAll, describe } from 'vitest';
import type { Stores } from '../../stores/stores.js';
import { feedsContract } from './store/feeds.js';
import { keysContract } from './store/keys.js';
import { logsContract } from './store/logs.js';
import { payloadsContract } from './store/payloads.js';
import { rollbacksContract } from './store/rollbacks.js';
import { secretsContract } from './store/secrets.js';
import { sequencesContract } from './store/sequences.js';
import type { TwoStores } from './store/two-stores.js';

const CONTRACTS = [
  keysContract,
  secretsContract,
  logsContract,
  payloadsContract,
  sequencesContract,
  rollbacksContract,
  feedsContract,
];

/**
 * Tests the guarantees that every kind of store gives by opening it twice, as two workers do.
 *
 * @param open opens the same store again at each call
 */
export function storeContract(name: string, open: () => Promise<Stores>): void {
  describe(`the store ${name}`, () => {
    let stores: TwoStores;
    beforeAll(async () => {
      const [one, two] = await Promise.all([open(), open()]);
      stores = { one, two };
    });
    afterAll(async () => {
      await Promise.all([stores.one.close(), stores.two.close()]);
    });
    for (const contract of CONTRACTS) contract(() => stores);
  });
}
