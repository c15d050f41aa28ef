import { inputError, ProvisioningError } from '../../../core/errors.js';
import type { Progress } from '../../../core/operation/operation.js';
import { describeRolledBack, type RolledBack } from '../../../core/operation/to-undo.js';
import { defineCommand, OPERATION } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { answer, checkStopped } from '../../shared/answer.js';
import { FORCE, force, REASON } from '../../shared/control.js';
import { operate } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<operation>', 'id of the operation']],
  options: [REASON, FORCE, { flags: '--repairs', about: 'also undo repairs' }, ...OPERATION],
  details:
    'A waiting operation rolls back its own work. An ended one is rolled back by another operation, which shows a preview first. The roll-back undoes the purpose of the operation. Repairs of drift stay, unless --repairs is given or the operation did nothing else.',
  examples: [
    'workflow rollback OPERATION',
    'workflow rollback OPERATION --check',
    'workflow rollback OPERATION --repairs',
    'workflow rollback OPERATION --force',
  ],
  async run(session, { args: [of = ''], flags }) {
    if (flags.force) return force(session, flags, of);
    const client = await session.client();
    const progress = await client.operations.progress({ operation: of }).catch(orForgotten);
    if (progress?.status === 'waiting') return answer(session, flags, of, 'rollback');
    if (progress) checkStopped(progress, 'roll back');
    const {
      of: rolled,
      kind,
      infra,
      left,
      repairs,
      rolledBack,
    } = await client.operations.compensations({ operation: of }).catch((error: unknown) => {
      throw isUnknown(error) ? noRecord(of) : error;
    });
    const isNothingLeft = left === 0 && !(flags.repairs && repairs > 0);
    if (isNothingLeft && rolledBack) return sayRolledBack(session, rolled, { rolledBack, repairs });
    if (isNothingLeft) {
      const undone = progress === undefined || progress.status === 'rolled-back' || (progress.compensations ?? []).length > 0;
      const why = undone
        ? 'nothing to undo: it has already been rolled back'
        : 'nothing to undo: it made no change that can be rolled back';
      throw inputError({ code: 'nothing-to-roll-back', what: 'roll back the operation', on: of, why });
    }
    return operate(session, flags, {
      kind,
      infra,
      intent: { verb: 'rollback', of, ...(flags.repairs && { repairs: true }) },
      destroysByName: true,
    });
  },
});

/** Reports a roll-back that is already complete. */
function sayRolledBack(
  session: Session,
  operation: string,
  { rolledBack, repairs }: { rolledBack: RolledBack; repairs: number },
): number {
  if (session.json) writeDocument(session, { operation, status: 'rolled-back', rolledBack, repairs });
  else {
    session.out.write(`${describeRolledBack(operation, rolledBack)}: nothing is left to undo\n`);
    if (repairs > 0)
      session.out.write(
        `${repairs} ${repairs === 1 ? 'repair stays' : 'repairs stay'}; undo them, too: provisioning workflow rollback ${operation} --repairs\n`,
      );
  }
  return 0;
}

const isUnknown = (error: unknown) => error instanceof ProvisioningError && error.details.code === 'unknown-operation';

/** Temporal no longer has the operation, or never had it. The store is queried. */
function orForgotten(error: unknown): Progress | undefined {
  if (isUnknown(error)) return undefined;
  throw error;
}

const noRecord = (of: string) =>
  inputError({
    code: 'unknown-operation',
    what: 'roll back the operation',
    on: of,
    why: 'it cannot be undone: neither Temporal nor the store has a record of it',
    hint: 'provisioning workflow list',
  });
