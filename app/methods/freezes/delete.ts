import * as z from 'zod';
import { describeFreeze } from '../../limits/describe-freeze.js';
import { freezeResource, frozenPlace, listedFreeze } from '../../limits/freeze-schemas.js';
import { endFreeze, freezePlace, readFreezes } from '../../limits/freezes.js';
import { releaseOperations } from '../../limits/hold-operations.js';
import { method } from '../../method.js';
import { openRows } from '../../open-rows.js';

export const deleteFreeze = method({
  name: 'freezes.delete',
  summary: 'End a freeze, and resume the operations that it paused',
  input: z.strictObject(frozenPlace),
  output: listedFreeze.extend({ resumed: z.array(z.string()).describe('Operations that were resumed by this call') }),
  permission: { action: 'freeze:delete', resource: freezeResource },
  rest: { verb: 'POST', path: '/freezes/delete' },
  errors: ['no-answer', 'not-frozen', 'store-failed', 'store-newer', 'store-unreachable', 'unknown-tenant'],
  async run({ engine, principal }, place) {
    const rows = await openRows(engine.stores, 'unfreeze');
    const freeze = await endFreeze(rows, await freezePlace(rows, principal, place), principal.actor);
    const active = (await readFreezes(rows)).map(({ row }) => row).filter(({ endedAt }) => endedAt === undefined);
    return { ...describeFreeze(freeze), resumed: await releaseOperations(engine, rows, freeze, active) };
  },
});
