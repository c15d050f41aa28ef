import * as z from 'zod';
import { attributesFrom } from '../../../core/operation/search-attributes.js';
import { registries } from '../../../definition/registries/registries.js';
import type { refresh } from '../../../workflows/index.js';
import { queryInventory } from '../../infra/entity.js';
import { method } from '../../method.js';
import { packageChange } from '../../schemas/host-status.js';
import { infra } from '../../schemas/ids.js';
import { typeSchema } from '../../schemas/typed.js';
import { inquire } from '../../temporal/inquiry.js';
import { readKnownVersions } from '../../versions/known-versions.js';
import { type ServiceVersions, serviceVersions } from '../../versions/service-versions.js';

const text = z.string();

const services = typeSchema<ServiceVersions[]>()(
  z.array(
    z.strictObject({
      ...{ infra: text, server: text, taskserv: text, version: text, wanted: text },
      constraint: text.optional(),
      installed: text.optional(),
      newer: packageChange.optional(),
      ...{ patch: text.optional(), minor: text.optional(), major: text.optional() },
      ...{ endOfLife: text.optional(), withdrawn: text.optional(), why: text.optional() },
    }),
  ),
);

export const versionsOfTaskservs = method({
  name: 'taskservs.versions',
  summary: 'Check the hosts of an infra and list the version of each service and newer versions; changes nothing',
  input: z.strictObject({
    ...infra,
    taskserv: z.string().min(1).max(255).optional().describe('Only this taskserv'),
    withinMs: z.int().min(1).max(600_000).describe('Milliseconds to wait for each host'),
  }),
  output: services,
  permission: { action: 'infra:status', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: ['unknown-infra'],
  async run({ engine, principal: { actor } }, { workspace, infra, taskserv, withinMs }) {
    const hosts = { withinMs, archive: true as const, ...(taskserv !== undefined && { taskservs: [taskserv] }) };
    const report = await inquire<typeof refresh>(
      engine,
      'refresh',
      { workspace, infra, actor, hosts, clouds: false },
      {
        id: `versions-${workspace}-${infra}`,
        summary: `Look at the versions of ${infra}`,
        attributes: attributesFrom({ workspace, infra, actor, kind: 'refresh' }),
      },
    );
    const inventory = await queryInventory(engine, { workspace, infra });
    if (!inventory) return [];
    const { taskservs } = await registries();
    const names = inventory.definition?.servers.flatMap((server) => server.taskservs.map(({ name }) => name)) ?? [];
    const recorded = Object.values(inventory.servers).flatMap((server) => Object.keys(server.services));
    const known = await readKnownVersions(taskservs, [...names, ...recorded]);
    return serviceVersions(inventory, report.hosts ?? [], known, taskserv);
  },
});
