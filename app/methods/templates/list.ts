import * as z from 'zod';
import { readTemplates } from '../../catalog/read-templates.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { catalogResource, listedTemplate } from '../../schemas/catalog.js';

export const listTemplates = list({
  name: 'templates.list',
  summary: 'List the cluster templates of the platform with their parameters; a workspace may have further ones',
  input: z.strictObject(namedFields),
  item: listedTemplate,
  pages: {},
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run(_, asked) {
    const all = (await readTemplates()).map(({ listed }) => listed);
    return pageByKey(['templates.list'], all, { asked, keyOf: ({ name }) => name });
  },
});
