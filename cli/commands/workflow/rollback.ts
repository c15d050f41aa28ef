import { inputError, ProvisioningError } from '../../../core/errors.js';
import type { Progress } from '../../../core/operation/operation.js';
import { defineCommand, OPERATION } from '../../command.js';
import { answer, checkStopped } from '../../shared/answer.js';
import { FORCE, force, REASON } from '../../shared/control.js';
import { operate } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [REASON, FORCE, ...OPERATION],
  details: 'A waiting operation rolls back its own work. An ended one is rolled back by another operation.',
  examples: ['workflow rollback OPERATION', 'workflow rollback OPERATION --check', 'workflow rollback OPERATION --force'],
  async run(session, { args: [of = ''], flags }) {
    if (flags.force) return force(session, flags, of);
    const client = await session.client();
    const progress = await client.operations.progress({ operation: of }).catch(orForgotten);
    if (progress?.status === 'waiting') return answer(session, flags, of, 'rollback');
    if (progress) checkStopped(progress, 'roll back');
    const { kind, infra, left } = await client.operations.compensations({ operation: of }).catch((error: unknown) => {
      throw isUnknown(error) ? noRecord(of) : error;
    });
    if (left === 0) {
      const undone = progress === undefined || progress.status === 'rolled-back' || (progress.compensations ?? []).length > 0;
      const why = undone
        ? 'nothing to undo: it was rolled back already'
        : 'nothing to undo: it did nothing that could be rolled back';
      throw inputError({ code: 'nothing-to-roll-back', what: 'roll back the operation', on: of, why });
    }
    return operate(session, flags, { kind, infra, intent: { verb: 'rollback', of }, destroysByName: true });
  },
});

const isUnknown = (error: unknown) => error instanceof ProvisioningError && error.details.code === 'unknown-operation';

/** Temporal has forgotten it, or never knew it: the store is asked. */
function orForgotten(error: unknown): Progress | undefined {
  if (isUnknown(error)) return undefined;
  throw error;
}

const noRecord = (of: string) =>
  inputError({
    code: 'unknown-operation',
    what: 'roll back the operation',
    on: of,
    why: 'it cannot be undone: there is no record of it, neither in Temporal nor in the store',
    hint: 'provisioning workflow list',
  });
