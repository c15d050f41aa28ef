import { afterAll, beforeAll, expect, test } from 'vitest';
import { translateWorkspace } from '../../../core/tenant-names.js';
import { quotas } from '../../../stores/rows/quotas.js';
import { type AccessFixture, openFixture } from '../../../test/support/access-fixture.js';
import type { Engine } from '../../engine.js';
import { quotaOfPlan } from './quota-of-plan.js';

let fixture: AccessFixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.remove());

const TENANT = 'abcd1234';
const set = { operations: 1, setAt: '2026-11-30T10:00:00Z', setBy: 'ann@desk' };

/** Creates an engine whose previews are for an infra of this workspace. */
const engineOf = (workspace: string) =>
  ({
    stores: fixture.stores,
    temporal: {
      workflow: { getHandle: () => ({ query: async () => ({ workspace, infra: 'shop', intent: { verb: 'ensure' } }) }) },
    },
  }) as unknown as Engine;
const quotaIn = (workspace: string) => quotaOfPlan({ engine: engineOf(workspace) }, { operation: 'op', workspace });

test('a preview has the quotas of the workspace and of all workspaces of its tenant, and no others', async () => {
  const table = (await fixture.stores.rows()).table(quotas);
  const own = translateWorkspace(TENANT, 'default');
  await table.put({ ...set, tenant: '', workspace: 'default', operations: 7 });
  await table.put({ ...set, tenant: '', workspace: '*', operations: 8 });
  expect(await quotaIn(own)).toBeUndefined();
  await table.put({ ...set, tenant: TENANT, workspace: own });
  await table.put({ ...set, tenant: TENANT, workspace: '*', operations: 2 });
  expect(await quotaIn(own)).toEqual([
    { workspace: own, of: 'operations', limit: 1, used: 0, after: 1 },
    { workspace: '*', of: 'operations', limit: 2, used: 0, after: 1 },
  ]);
  expect((await quotaIn('default'))?.map(({ limit }) => limit)).toEqual([7, 8]);
});
