import * as z from 'zod';
import { queryLocks } from '../../infra/entity.js';
import { method } from '../../method.js';
import { infra } from '../../schemas/ids.js';
import { locks } from '../../schemas/operation.js';

export const locksOfInfra = method({
  name: 'infras.locks',
  summary: 'List the locks of an infra, with their holders and waiting operations',
  input: z.strictObject(infra),
  output: locks,
  permission: { action: 'infra:read', resource: ({ workspace, infra }) => ({ type: 'Infra', id: `${workspace}/${infra}` }) },
  errors: [],
  run: ({ engine }, place) => queryLocks(engine, place),
});
