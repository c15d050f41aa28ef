import { formerDefinition } from '../../../app/infra/former-definition.js';
import { inputError } from '../../../core/errors.js';
import { defineCommand, OPERATION, PLAN_OUT, UPDATE } from '../../command.js';
import { operate } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<infra>', 'name of the infra']],
  options: [
    { flags: '--to <which>', about: 'a number or content address of `infra history`; 2 is the one before' },
    ...OPERATION,
    PLAN_OUT,
    ...UPDATE,
  ],
  details:
    'Applies a definition that was applied before, as `apply` does: also removes what it did not name. Data stays as it is. To undo what one operation did, whatever its definition said, use `workflow rollback`.',
  examples: ['infra rollback shop --to 2 --check', 'infra rollback shop --to 2'],
  async run(session, { args: [infra], flags }) {
    if (flags.to === undefined)
      throw inputError({
        code: 'bad-arguments',
        what: 'read the command line',
        on: '--to',
        why: 'it is missing: to which definition?',
        hint: `provisioning infra history ${infra} lists them`,
      });
    const { definition } = await formerDefinition(session, infra, flags.to);
    return operate(session, flags, { kind: 'cluster', infra, intent: { verb: 'ensure', prune: true }, definition });
  },
});
