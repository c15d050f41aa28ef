import * as z from 'zod';
import { readDefinition } from '../../infra/entity.js';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { definition } from '../../schemas/operation.js';

export const definitionOfInfra = method({
  name: 'infras.definition',
  summary: 'Return a definition that was applied to an infra, by its content address; empty if it is no longer stored completely',
  input: z.strictObject({ ...infra, hash: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256, as infras.definitions has it') }),
  output: definition.optional(),
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [],
  run: ({ engine }, { hash, ...place }) => readDefinition(engine, place, hash),
});
