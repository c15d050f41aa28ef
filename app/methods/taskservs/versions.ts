import * as z from 'zod';
import { method } from '../../method.js';
import { packageChange } from '../../schemas/host-status.js';
import { infra } from '../../schemas/ids.js';
import { typeSchema } from '../../schemas/typed.js';
import { lookAtVersions } from '../../versions/look-at-versions.js';
import type { ServiceVersions } from '../../versions/service-versions.js';

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
  run: async (call, asked) => (await lookAtVersions(call, asked)).services,
});
