import * as z from 'zod';
import { registries } from '../../../definition/registries/registries.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { catalogResource, listedTaskserv } from '../../schemas/catalog.js';

export const listTaskservs = list({
  name: 'taskservs.list',
  summary: 'List the taskservs of the platform; a workspace may have further ones',
  input: z.strictObject(namedFields),
  item: listedTaskserv,
  pages: {},
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run(_, asked) {
    const { taskservs } = await registries();
    const all = Object.values(taskservs).map(({ name, category, description, versions }) => ({
      ...{ name, category, description, versions: [...versions.supported], default: versions.default },
    }));
    return pageByKey(['taskservs.list'], all, { asked, keyOf: ({ name }) => name });
  },
});
