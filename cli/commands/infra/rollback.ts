import { formerDefinition } from '../../../authoring/former/former-definition.js';
import { inputError } from '../../../core/errors.js';
import { defineCommand, OPERATION, PLAN_OUT, UPDATE } from '../../command.js';
import { operate } from '../../shared/operate.js';

export const command = defineCommand({
  arguments: [['<infra>', 'name of the infra']],
  options: [
    { flags: '--to <which>', about: 'number or content address of `infra history`; 2 is the previous definition' },
    ...OPERATION,
    PLAN_OUT,
    ...UPDATE,
  ],
  details:
    'Applies an earlier definition as `apply` does, and removes resources that it does not name. Data stays unchanged. To undo one operation, use `workflow rollback`.',
  examples: ['infra rollback shop --to 2 --check', 'infra rollback shop --to 2'],
  async run(session, { args: [infra], flags }) {
    if (flags.to === undefined)
      throw inputError({
        code: 'bad-arguments',
        what: 'read the command line',
        on: '--to',
        why: 'the target is missing: choose a definition',
        hint: `provisioning infra history ${infra} lists all definitions`,
      });
    const { definition } = await formerDefinition(session, infra, flags.to);
    return operate(session, flags, { kind: 'cluster', infra, intent: { verb: 'ensure', prune: true }, definition });
  },
});
