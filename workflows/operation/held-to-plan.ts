import { workflowInfo } from '@temporalio/workflow';
import type { DecidedService } from '../../activities/service/decide.js';
import { memoizeByKey } from '../../core/definition/service-order.js';
import { canonical } from '../../core/encoding/hash.js';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import { inputError } from '../../core/errors.js';
import { exitCodeOfError } from '../../core/exit-codes.js';
import { groupByKey } from '../../core/grouped.js';
import type { Step } from '../../core/host/step.js';
import { countChanges, type PlanChange, planChanges } from '../../core/plan/plan-changes.js';
import { actionOf, planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { OperationStopped } from './failures.js';
import type { AnyPhase } from './operation.js';
import { approvalsOf } from './outcome.js';

/** Version of workflows since which plans that need an approval describe the changes of their steps. */
const EXPLAINED_SINCE = 2;

/**
 * Reports whether the plan describes the changes of its steps: for a reader, or because the operation is bound to it.
 * Both use the same, so the two plans can be compared.
 */
export function explains(operation: AnyPhase): boolean {
  const { check, planned } = operation.request;
  if (check || planned) return true;
  return readWorkflowsVersion(workflowInfo().memo) >= EXPLAINED_SINCE && approvalsOf(operation).size > 0;
}

/** Other input that a person gave takes the place of the plan. */
const isHeld = ({ request, changes }: AnyPhase): boolean => request.planned !== undefined && changes === 0;

/**
 * Refuses to carry out another plan than the one that was given. Nothing has been changed by then.
 *
 * @throws inputError `plan-changed`
 */
export function refuseOtherPlan(operation: AnyPhase): void {
  const { request, progress } = operation;
  if (!isHeld(operation) || !request.planned) return;
  const now = progress.plan.map(planLineOf);
  progress.planHash = planHash(now);
  const { hash, lines } = request.planned;
  if (progress.planHash === hash) return;
  const changes = lines && planChanges(lines, now);
  if (changes) progress.planChanges = changes;
  throw inputError({
    code: 'plan-changed',
    what: 'carry out the plan',
    on: request.infra,
    why: `it has changed since it was made${changes ? `: ${countChanges(changes)}` : ''}`,
    hint: 'make and review another plan',
  });
}

const unitOf = ({ on, taskserv = '' }: Pick<PlannedStep, 'on' | 'taskserv'>): string => `${on}/${taskserv}`;

const indexOf = memoizeByKey((plan: readonly PlannedStep[]) => ({
  byUnit: groupByKey(plan, unitOf),
  /** Whose machines are made or changed: what follows from that is known only then. */
  changed: new Set(plan.filter(changesMachine).map(({ on }) => on)),
}));

const changesMachine = ({ machine, expected }: PlannedStep): boolean =>
  expected === true || machine === 'create' || machine === 'update' || machine === 'replace';

/** Repeated decision about one unit of a host, just before its execution. */
interface DecidedAgain {
  server: string;
  decided: Pick<DecidedService, 'taskserv' | 'steps' | 'ahead'>;
  /** The servers whose addresses and services it goes by. */
  peers: readonly string[];
}

/**
 * Refuses steps of a unit that the plan does not have: a change was made while the operation worked. Missing steps are
 * no other plan.
 *
 * @throws OperationStopped `plan-changed`
 */
export function refuseUnplanned(operation: AnyPhase, { server, decided, peers }: DecidedAgain): void {
  if (!isHeld(operation)) return;
  const { progress } = operation;
  const { taskserv, steps, ahead = 0 } = decided;
  const { byUnit, changed } = indexOf(progress.plan);
  if ([server, ...peers].some((name) => changed.has(name))) return;
  const lines = byUnit.get(unitOf({ on: server, taskserv })) ?? [];
  const known = new Set(lines.flatMap(({ step }) => (step ? [canonical(actionOf(step))] : [])));
  // The names of machines that it made itself are known only now.
  const judged = changed.size > 0 ? steps.slice(ahead) : steps;
  const unplanned = judged.filter((step) => !known.has(canonical(actionOf(step))));
  if (unplanned.length === 0) return;
  // Changes of an earlier attempt.
  const others = (progress.planChanges ?? []).filter((change) => unitOf(change) !== unitOf({ on: server, taskserv }));
  progress.planChanges = [...others, ...unplanned.map((step) => newIn(server, taskserv, step, lines))];
  throw new OperationStopped({
    step: 'Hold to the plan',
    on: unitOf({ on: server, taskserv }),
    why: `the host changed during the operation: ${unplanned.map(({ title }) => title).join('; ')}`,
    code: 'plan-changed',
    exitCode: exitCodeOfError({ code: 'plan-changed', blame: 'user' }),
    hint: 'make and review another plan',
  });
}

function newIn(on: string, taskserv: string, { title }: Step, lines: readonly PlannedStep[]): PlanChange {
  const isKnown = lines.some((line) => line.title === title);
  return { on, taskserv, title, ...(isKnown ? { is: 'different', why: 'the steps have changed' } : { is: 'new' }) };
}
