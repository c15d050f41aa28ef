import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { replaceFile } from '../../home/durable.js';
import { openRecords } from '../../stores/open-records.js';
import { openStores } from '../../stores/open-stores.js';
import { packRollback } from '../../stores/rollbacks.js';
import { storeHomes } from './store/homes.js';
import { fill, movedTwice } from './store/records.js';
import { storeContract } from './store-contract.js';

const homes = await storeHomes();
afterAll(homes.remove);
const home = await homes.named('home');

storeContract('of files', () => openStores(home, {}));

test('files of a former release, which sealed none, are read', async () => {
  const { blobs, rollbacks } = await openStores(home, {});
  const text = '{"operations":[]}';
  const address = createHash('sha256').update(text).digest('hex');
  const owner = { workspace: 'w', infra: 'former', operation: 'o' };
  const kept = { kind: 'cluster' as const, compensations: [] };
  await replaceFile(join(home.batches, address.slice(0, 2), address), text);
  await replaceFile(join(home.rollbacks, 'w', 'former', 'o.json.gz'), await packRollback(kept));
  expect(await blobs.get(address)).toBe(text);
  expect(await rollbacks.read(owner)).toEqual(kept);
  expect(await rollbacks.find('o')).toEqual({ ...owner, ...kept });
});

test('records of files are kept by files of another home, twice if need be, and none in place of another', async () => {
  const [from, to] = [await homes.named('from'), await homes.named('to')];
  await fill(await openStores(from, {}));
  const [source, target] = [await openRecords(from, {}), await openRecords(to, {})];
  await movedTwice(source, target);
});
