import * as z from 'zod';
import { EVERYWHERE } from '../../access/roles.js';
import { HOME_TENANT } from '../../access/service-accounts.js';
import { describeFreeze } from '../../limits/describe-freeze.js';
import { listedFreeze } from '../../limits/freeze-schemas.js';
import { readFreezes } from '../../limits/freezes.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { openRows } from '../../open-rows.js';
import { boundWorkspace } from '../../schemas/service-account.js';

export const listFreezes = list({
  name: 'freezes.list',
  summary: 'List what is frozen, with the reasons',
  input: z.strictObject({
    ...namedFields,
    workspace: boundWorkspace.optional().describe('Only what concerns this workspace; default: all workspaces'),
  }),
  item: listedFreeze,
  pages: { key: 'place' },
  permission: {
    action: 'freeze:read',
    resource: ({ workspace }) => ({ type: 'Workspace', id: workspace ?? EVERYWHERE }),
  },
  errors: ['store-failed', 'store-newer', 'store-unreachable'],
  async run({ engine }, { workspace = EVERYWHERE, ...asked }) {
    const all = (await readFreezes(await openRows(engine.stores, 'list the freezes'))).map(({ row }) => row);
    const isMeant = (at: string) => workspace === EVERYWHERE || at === workspace || at === EVERYWHERE;
    const items = all
      .filter((one) => one.tenant === HOME_TENANT && one.endedAt === undefined && isMeant(one.workspace))
      .map(describeFreeze);
    return pageByKey(['freezes.list', workspace], items, { asked, keyOf: ({ place }) => place });
  },
});
