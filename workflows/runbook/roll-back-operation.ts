import type { Rollback } from '../../core/operation/operation.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import { describeRolledBack, isRepair, splitUndo } from '../../core/operation/to-undo.js';
import { refuseWritten } from '../moves/undo-move.js';
import { needsApproval, waitForApproval } from '../operation/approval.js';
import { refuseOtherPlan } from '../operation/held-to-plan.js';
import type { Operation } from '../operation/operation.js';
import { nameOf } from '../operation/outcome.js';
import { planUndoes, stepsThatStay } from '../operation/planned-undo.js';
import { refuseOvertaken, undoCompensations } from '../operation/roll-back.js';

/** Rolls back an operation that has ended, with what it left to be rolled back. */
export async function rollBack(operation: Operation): Promise<void> {
  const { progress, request, control } = operation;
  const rollback = operation.rollback as Rollback;
  // By what there was at first, also in a later run: else what is left could mean something else.
  const { undo, stay } = splitUndo(rollback.compensations, { repairs: request.intent.repairs, rolledBack: rollback.rolledBack });
  if (!operation.undoing) {
    await beginRollBack(operation, rollback, undo, stay);
    if (request.check) return;
  }
  control.rollBack();
  const staying = stay.length > 0 ? operation.compensations.filter(isRepair) : [];
  const left = await undoCompensations(operation, staying);
  const remaining = operation.compensations.filter((one) => !staying.includes(one)).reverse();
  operation.executed(planUndoes(undo, rollback.stays).length - planUndoes(remaining, rollback.stays).length);
  progress.outcomes = [
    ...(progress.outcomes ?? []),
    ...stay.map((one) => ({ on: nameOf(one), outcome: 'stays', why: 'a repair' }) as const),
  ];
  progress.left = left;
  if (left.length > 0)
    progress.error = {
      step: 'Roll back',
      on: request.infra,
      why: `${left.length} things are left`,
      code: 'left',
      exitCode: 1,
    };
}

/** Shows the work of the roll-back, and waits until it may begin. */
async function beginRollBack(
  operation: Operation,
  rollback: Rollback,
  undo: readonly Compensation[],
  stay: readonly Compensation[],
): Promise<void> {
  const { progress, request } = operation;
  progress.plan = planUndoes(undo, rollback.stays);
  progress.steps.planned = progress.plan.length;
  const notes = notesOn(operation, rollback, undo, stay);
  if (notes.length > 0) progress.notes = [...(progress.notes ?? []), ...notes.map((text) => ({ on: request.infra, text }))];
  refuseOvertaken(operation, { ...rollback, compensations: [...undo] });
  await refuseWritten(operation, rollback.of, undo);
  refuseOtherPlan(operation);
  if (request.check || undo.length === 0 || !needsApproval(operation)) return;
  await waitForApproval(operation);
  // Changes that cannot be undone are named, not thrown: the start is already decided.
  await operation.control.go();
}

/** Notes about work that is not undone. */
function notesOn(
  { request }: Operation,
  { of, stays, rolledBack }: Rollback,
  undo: readonly Compensation[],
  stay: readonly Compensation[],
): string[] {
  const notes: string[] = [];
  if (rolledBack) notes.push(describeRolledBack(of, rolledBack));
  if (stays && undo.some((one) => one.undo === 'definition'))
    notes.push(`the last applied definition stays: ${stays.operation} applied it, not only ${of}`);
  const steps = undo.flatMap((one) =>
    one.undo === 'host-steps'
      ? stepsThatStay(one).map(({ title, why }) => `${one.taskserv} on ${one.server}: ${title} (${why})`)
      : [],
  );
  if (steps.length > 0) notes.push(`${listed(steps)} stays`);
  if (stay.length > 0) {
    const names = listed([...new Set(stay.map(nameOf))]);
    notes.push(
      `repairs stay, since they are not what ${of} was for: ${names}; undo them, too: provisioning workflow rollback ${of} --repairs`,
    );
  }
  if (undo.length === 0 && !rolledBack) notes.push(`nothing is left of ${of} that could be rolled back in ${request.infra}`);
  return notes;
}

/** The first few of many. */
const listed = (names: readonly string[]): string =>
  names.length > 8 ? `${names.slice(0, 8).join('; ')} and ${names.length - 8} more` : names.join('; ');
