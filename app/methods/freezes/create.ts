import * as z from 'zod';
import { describeFreeze } from '../../limits/describe-freeze.js';
import { listUnplaced, MOST_INFRAS } from '../../limits/environments/list-unplaced.js';
import { freezeReason, freezeResource, frozenPlace, listedFreeze } from '../../limits/freeze-schemas.js';
import { createFreeze, freezePlace } from '../../limits/freezes.js';
import { holdOperations } from '../../limits/hold-operations.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';

export const createTheFreeze = method({
  name: 'freezes.create',
  summary:
    'Refuse all changes in a workspace, an infra, an environment or all workspaces, and pause the running operations there before their next step',
  input: z.strictObject({ ...frozenPlace, reason: freezeReason }),
  output: listedFreeze.extend({
    isNew: z.boolean().describe('False if the place was frozen before: that freeze stays as it is'),
    paused: z.array(z.string()).describe('Operations that were paused by this call'),
    notHeld: z
      .array(z.string())
      .max(MOST_INFRAS)
      .optional()
      .describe('Infras of the place that are in no known environment, as `WORKSPACE/INFRA`; absent for other freezes'),
  }),
  permission: { action: 'freeze:create', resource: freezeResource },
  rest: { verb: 'POST', path: '/freezes' },
  errors: ['no-answer', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  async run({ engine, principal }, { reason, ...place }) {
    const rows = await openRows(engine.stores, 'freeze');
    const frozen = await freezePlace(rows, principal, place);
    const { freeze, isNew } = await createFreeze(rows, frozen, { reason, by: principal.actor });
    const paused = await holdOperations(engine, rows, freeze);
    const notHeld = await listUnplaced(engine, rows, freeze);
    return { ...describeFreeze(freeze), isNew, paused, ...(notHeld && { notHeld }) };
  },
});
