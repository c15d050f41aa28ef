import * as z from 'zod';
import { listInfraNames } from '../../infra/entity.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { workspace } from '../../schemas/ids.js';

export const listInfras = list({
  name: 'infras.list',
  summary: 'List the infras of a workspace',
  input: z.strictObject({ workspace, ...namedFields }),
  item: z.string(),
  pages: {},
  permission: { action: 'infra:read', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: [],
  async run({ engine }, { workspace, ...asked }) {
    const names = await listInfraNames(engine, workspace);
    return pageByKey(['infras.list', workspace], names, { asked, keyOf: (name) => name });
  },
});
