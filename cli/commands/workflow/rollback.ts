import { inputError } from '../../../core/errors.js';
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
    const progress = await client.operations.progress({ operation: of });
    if (progress.status === 'waiting') return answer(session, flags, of, 'rollback');
    checkStopped(progress, 'roll back');
    const { kind, infra, compensations = [] } = await client.operations.result({ operation: of });
    if (compensations.length === 0) {
      const why = progress.status === 'rolled-back' ? 'it was rolled back already' : 'it did nothing that could be rolled back';
      throw inputError({ code: 'nothing-to-roll-back', what: 'roll back the operation', on: of, why });
    }
    return operate(session, flags, { kind, infra, intent: { verb: 'rollback', of }, destroysByName: true });
  },
});
