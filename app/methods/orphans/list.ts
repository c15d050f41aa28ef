import * as z from 'zod';
import { identifyOrphan } from '../../../core/operation/orphans.js';
import { askOrphans } from '../../infra/orphans.js';
import { list, pageFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { orphanRow, unaskedProviders } from '../../schemas/clouds.js';
import { workspace } from '../../schemas/ids.js';

export const listOrphans = list({
  name: 'orphans.list',
  summary: 'List resources with our labels that belong to no infra',
  input: z.strictObject({ workspace, ...pageFields }),
  item: orphanRow,
  pages: {},
  beside: { unasked: unaskedProviders },
  permission: { action: 'orphan:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  async run({ engine, principal: { actor } }, { workspace, ...asked }) {
    const { orphans, unasked } = await askOrphans(engine, { workspace, actor });
    return { ...pageByKey(['orphans.list', workspace], orphans, { asked, keyOf: identifyOrphan }), unasked };
  },
});
