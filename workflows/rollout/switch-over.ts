import type { SwitchOver } from '../../activities/service/switch-over.js';
import { inputError } from '../../core/errors.js';
import { type Inventory, ownTables } from '../../core/infra/inventory.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { decideApproved } from '../operation/approval.js';
import type {
  ActivityUser,
  AnyPhase,
  AttemptRunner,
  ControlUser,
  DecisionState,
  ProgressView,
  Recording,
} from '../operation/operation.js';
import { describeGroups } from '../runbook/grouped-hosts.js';
import { scopeOf } from '../runbook/scope-of.js';
import { runAt } from './draining.js';

type SwitchingOver = AnyPhase &
  DecisionState &
  Recording &
  AttemptRunner &
  ProgressView &
  ControlUser<'askApproval'> &
  ActivityUser<'planSwitchOver' | 'act'>;

const TITLE = 'Switch over the leader';

/** Gives the lead of a group to another member. The steps look up the leader again, since it may change until then. */
export async function switchOver(operation: SwitchingOver): Promise<void> {
  const decided = operation.decided?.switchOver ?? (await decideApproved(operation, () => decide(operation)));
  if (operation.request.check) return;
  const nothing = { machines: { servers: [], networks: [] }, decisions: [], drains: [] };
  operation.decided ??= { ...nothing, before: ownTables(operation.inventory), switchOver: decided };
  const { leader, taskserv, group, to, steps } = decided;
  const at = { server: leader, taskserv };
  if (steps.length === 0) return operation.show({ ...at, state: 'unchanged' });
  await operation.continuation.once(`switch-over/${taskserv}/${group}`, () =>
    operation.attempt({ step: TITLE, on: `${leader}/${taskserv}`, required: true }, async () => {
      operation.show({ ...at, state: 'running', step: steps[0]?.title ?? TITLE });
      operation.executed(await runAt(operation, { ...at, target: { server: to ?? leader } }, steps));
      operation.show({ ...at, state: 'done', step: steps[0]?.title ?? TITLE });
    }),
  );
}

async function decide(operation: SwitchingOver): Promise<SwitchOver> {
  const { request, inventory, progress } = operation;
  const { groups = [] } = describeGroups(inventory, inventory.definition ?? { servers: [] }, findSpecs(request, inventory));
  const { to } = request.intent;
  const summary = 'See which member leads the group';
  const asked = { scope: scopeOf(operation), groups, ...(to !== undefined && { to }) };
  const decided = await operation.attempt({ step: 'Decide what to do', on: request.infra, required: true }, () =>
    operation.activities.planSwitchOver.executeWithOptions({ summary }, [asked]),
  );
  const plan = decided as SwitchOver;
  progress.plan = plan.steps.map((step) => ({
    ...{ on: plan.leader, taskserv: plan.taskserv, title: step.title, step, change: 'interrupt' as const },
  }));
  progress.steps.planned = progress.plan.length;
  return plan;
}

/**
 * The installed groups that a request means, each once.
 *
 * @throws inputError `unknown-service` if the infra has no such group
 */
export function findSpecs({ intent, infra }: Pick<OperationRequest, 'intent' | 'infra'>, { servers }: Pick<Inventory, 'servers'>) {
  const all = Object.values(servers).flatMap(({ services }) =>
    Object.values(services).flatMap(({ taskserv, group, ...rest }) =>
      group === undefined ? [] : [{ ...rest, name: taskserv, group, endpoints: [], after: [] }],
    ),
  );
  const each = [...new Map(all.map((one) => [`${one.name}/${one.group}`, one])).values()];
  const { taskservs, group } = intent;
  const found = each.filter(
    (one) => (taskservs === undefined || taskservs.includes(one.name)) && (group === undefined || group === one.group),
  );
  if (found.length > 0) return found;
  const wanted = [...(taskservs ?? []), ...(group === undefined ? [] : [`group "${group}"`])].join(', ');
  throw inputError({
    code: 'unknown-service',
    what: 'switch over the leader',
    on: infra,
    why: wanted === '' ? 'the infra has no service that is a group' : `the infra has no such group: ${wanted}`,
    ...(each.length > 0 && { hint: `its groups are ${each.map((one) => `${one.name} "${one.group}"`).join(', ')}` }),
  });
}
