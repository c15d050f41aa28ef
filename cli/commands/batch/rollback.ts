import { inputError } from '../../../core/errors.js';
import { MARKS } from '../../../core/operation/batch.js';
import { operationId } from '../../../core/operation-id.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { REASON } from '../../shared/control.js';
import { reportDeclined } from '../../shared/declined.js';
import { followBatch } from '../../shared/follow-batch.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  arguments: [['<batch>', 'id of the batch']],
  options: [
    { flags: '--branch', about: 'roll back only the failed operations, after the others have ended' },
    { flags: '--yes', about: 'skip the confirmation' },
    REASON,
    { flags: '--no-wait', about: 'return as soon as the roll-back has started' },
  ],
  details:
    'Rolls back the last stage first. A running batch is stopped first. An ended batch is rolled back as a whole, by a separate batch.',
  examples: ['batch rollback BATCH', 'batch rollback BATCH --branch --yes'],
  async run(session, { args: [id = ''], flags }) {
    const client = await session.client();
    const { status, name } = await client.batches.state({ batch: id });
    const ended = !['running', 'waiting', 'rolling-back'].includes(status);
    if (ended && flags.branch) {
      throw inputError({
        code: 'not-waiting',
        what: 'roll back the branch',
        on: id,
        why: 'the batch has ended, and can only be rolled back as a whole',
        hint: `provisioning batch rollback ${id}, without --branch`,
      });
    }
    if (!flags.yes) {
      needsYes(session, 'roll back the batch', id);
      if (!(await session.confirm(`Roll back what ${name} did?`))) return reportDeclined(session);
    }
    const why = flags.reason;
    const newId = operationId('batch', 'undo', name.replace(/^rollback of /, ''));
    const batch = ended ? (await client.batches.rollback({ batch: id, as: newId, why })).batch : id;
    if (!ended) await client.batches.decide({ batch: id, decision: flags.branch ? 'rollback-branch' : 'rollback', why });
    if (flags.wait !== false) {
      const code = await followBatch(session, batch);
      if (code !== 1) return code;
      const end = await client.batches.state({ batch });
      return end.status === 'rolled-back' && !end.marks.includes(MARKS.left) ? 0 : code;
    }
    if (session.json) writeDocument(session, { batch });
    else session.out.write(`rolling back: ${batch}\nfollow it: provisioning batch follow ${batch}\n`);
    return 0;
  },
});
