import { sourceFrom } from '../../authoring/definition/definitions.js';
import { refuseUnsold } from '../../authoring/definition/refuse-unsold.js';
import { keepGiven, readGiven } from '../../authoring/given/with-given.js';
import { createLockEdit } from '../../authoring/lock-file/lock-edit.js';
import { DEFINITION_INPUT, defineCommand, FROZEN_LOCK, OPERATION, PLAN_OUT, UPDATE } from '../command.js';
import { operate } from '../shared/operate.js';
import { planIn } from '../shared/plan-file.js';

/** The everyday command: it also removes resources that the file no longer names. */
export const command = defineCommand({
  arguments: [['<file>', 'definition (.yaml, .yml, .json, .toml, .ts, .k, .ncl), or a plan that --plan-out saved']],
  options: [...OPERATION, PLAN_OUT, ...UPDATE, ...DEFINITION_INPUT, FROZEN_LOCK],
  details:
    'Creates and changes resources until they match the file, and removes those that the file no longer names. Asks for confirmation, unless --yes is given. Starts an engine if the home has no engine. A saved plan runs exactly as shown. If the state has changed since, it fails with the difference (exit code 2, nothing is done). `provisioning.lock` beside the file stores the chosen versions.',
  examples: [
    'apply examples/quickstart.yaml',
    'apply infra.yaml --check',
    'apply infra.yaml --yes --json',
    'apply infra.yaml --env prod',
    'apply infra.yaml --plan-out infra.plan',
    'apply infra.plan',
  ],
  async run(session, { args: [file = ''], flags }) {
    const plan = await planIn(file);
    if (plan) return (await import('../shared/apply-plan.js')).applyPlan(session, flags, file, plan);
    const read = await sourceFrom(session, file, flags);
    const given = await readGiven(session, read);
    await session.engine();
    await refuseUnsold(session, read);
    const definition = await keepGiven(session, read, given);
    const lock = createLockEdit(read.lock, file);
    return operate(session, flags, {
      kind: 'cluster',
      infra: definition.infra,
      intent: { verb: 'ensure', prune: true },
      definition,
      file,
      ...(lock && { edits: [lock] }),
    });
  },
});
