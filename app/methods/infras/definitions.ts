import * as z from 'zod';
import { listDefinitions } from '../../infra/entity.js';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { appliedDefinition } from '../../schemas/inventory.js';

export const definitionsOfInfra = method({
  name: 'infras.definitions',
  summary: 'List the last definitions that were applied to an infra, newest first, with author, time and roll-back',
  input: z.strictObject(infra),
  output: z.array(appliedDefinition),
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [],
  run: ({ engine }, place) => listDefinitions(engine, place),
});
