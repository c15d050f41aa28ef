import * as z from 'zod';
import { readTopologies } from '../../catalog/read-topologies.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { catalogResource } from '../../schemas/catalog.js';
import { listedTopology } from '../../schemas/topology.js';

export const listTopologies = list({
  name: 'topologies.list',
  summary: 'List the topologies of the platform for test environments; a workspace may have further ones',
  input: z.strictObject(namedFields),
  item: listedTopology,
  pages: {},
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run(_, asked) {
    const all = (await readTopologies()).map(({ listed }) => listed);
    return pageByKey(['topologies.list'], all, { asked, keyOf: ({ name }) => name });
  },
});
