import { expect, test } from 'vitest';
import type { Recipe } from '../../core/schema/recipe.js';
import { isSignedBy } from '../../secrets/generate/authority-steps.js';
import { createMaker } from '../../secrets/generate/makers.js';
import { allRefused, clientOf, kept, withSecretHome, workspace } from '../../test/support/secret-client.js';

withSecretHome();

const [ca, db] = ['generated/default/shop/ca/internal', 'generated/default/shop/certificate/db'];
const read = async (name: string) => (await kept.store.get(name)) ?? '';

test('the certificates of an authority follow its roll-back, and none is rolled back to another authority', async () => {
  const recipe = { generate: 'certificate', ca: 'internal', names: ['db'] } satisfies Recipe;
  await kept.store.ensureGenerated(db, await createMaker(kept.store, db, recipe));
  const first = await read(ca);
  const { secrets } = clientOf();
  expect(await secrets.rollback({ workspace, name: db, to: 1 })).toMatchObject({ version: 1, more: [] });

  await secrets.rotate({ workspace, name: ca, step: 'at-once' });
  expect(isSignedBy(await read(db), await read(ca))).toBe(true);
  await allRefused('bad-request', [secrets.rollback({ workspace, name: db, to: 1 })]);

  expect(await secrets.rollback({ workspace, name: ca, to: 1 })).toMatchObject({ version: 3, more: [db] });
  expect(await read(ca)).toBe(first);
  expect(isSignedBy(await read(db), first)).toBe(true);
  const { versions } = await secrets.history({ workspace, name: db });
  expect(versions[0]).toMatchObject({ how: 'rolled back to 1', recipe });
});
