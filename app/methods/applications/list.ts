import * as z from 'zod';
import { mapAtOnce } from '../../../core/at-once.js';
import { findApplications } from '../../application/applications.js';
import { listInfraNames, queryInventory } from '../../infra/entity.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { workspace } from '../../schemas/ids.js';

const text = z.string();
/** Infras that are queried at a time. */
const AT_ONCE = 20;

export const listApplications = list({
  name: 'applications.list',
  summary: 'List the applications in a workspace or an infra, with their processes and servers',
  input: z.strictObject({
    workspace,
    infra: z.string().min(1).max(1_000).optional().describe('Only of this infra'),
    ...namedFields,
  }),
  item: z.strictObject({ infra: text, name: text, processes: z.array(text), servers: z.array(text) }),
  pages: {},
  permission: {
    action: 'application:read',
    resource: ({ workspace, infra }) =>
      infra === undefined ? { type: 'Workspace', id: workspace } : { type: 'Infra', id: `${workspace}/${infra}` },
  },
  errors: [],
  async run({ engine }, { workspace, infra: only, ...asked }) {
    const infras = only === undefined ? await listInfraNames(engine, workspace) : [only];
    const inventories = await mapAtOnce(infras, AT_ONCE, (infra) => queryInventory(engine, { workspace, infra }));
    const items = inventories.flatMap((inventory) =>
      (inventory ? findApplications(inventory) : []).map(({ inventory: { infra }, servers, config: { name, processes } }) => ({
        ...{ infra, name },
        processes: Object.keys(processes),
        servers: servers.map((server) => server.name),
      })),
    );
    return pageByKey(['applications.list', workspace, only ?? ''], items, {
      asked,
      keyOf: ({ infra, name }) => `${name}\0${infra}`,
      nameOf: ({ name }) => name,
    });
  },
});
