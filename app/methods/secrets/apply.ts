import * as z from 'zod';
import { operationManner } from '../../../core/schema/batch-request.js';
import { method } from '../../method.js';
import { batchId, infra } from '../../schemas/ids.js';
import { secretPlace, secretResource } from '../../schemas/secret.js';
import { applySecret, readAppliedInfras } from '../../secret/apply-secret.js';

const { infra: infraName } = infra;

export const applyTheSecret = method({
  name: 'secrets.apply',
  summary:
    'Start a batch that brings the current value of a secret to the services that use it, one infra after another, and return immediately. It stops at the first infra that fails',
  input: z.strictObject({
    ...secretPlace,
    as: batchId.describe('Id of the batch. Pass it to `batches.result` to wait for the end'),
    infras: z.array(infraName).optional().describe('Only these infras; default: all that use the secret'),
    manners: z
      .record(infraName, operationManner)
      .optional()
      .describe('By infra: policies, waves and settings of its operation; what is absent follows the definition of the infra'),
  }),
  output: z.strictObject({
    batch: z.string().optional().describe('Absent if no installed service uses the secret'),
    infras: z.array(z.string()).describe('Infras of the batch, in order'),
  }),
  permission: { action: 'batch:submit', resource: ({ workspace }) => ({ type: 'Workspace', id: workspace }) },
  errors: ['operation-exists', 'preview-id', 'secret-name', 'secret-scope', 'unknown-secret'],
  startedBefore: ({ as }) => ({ id: as, read: async (call) => ({ batch: as, infras: await readAppliedInfras(call, as) }) }),
  run: (call, { as, infras, manners, ...place }) =>
    applySecret(call, place, { as, infras, manners, resource: secretResource(place) }),
});
