import * as z from 'zod';
import { registries } from '../../../definition/registries/registries.js';
import { method } from '../../method.js';
import { catalogResource, listedTaskserv } from '../../schemas/catalog.js';

export const listTaskservs = method({
  name: 'taskservs.list',
  summary: 'List the taskservs of the platform; a workspace may have further ones',
  input: z.strictObject({}),
  output: z.array(listedTaskserv),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run() {
    const { taskservs } = await registries();
    return Object.values(taskservs)
      .map(({ name, category, description, versions }) => ({
        ...{ name, category, description, versions: [...versions.supported], default: versions.default },
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },
});
