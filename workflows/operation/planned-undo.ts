import { kindOf, type Step } from '../../core/host/step.js';
import type { Rollback } from '../../core/operation/operation.js';
import { powerTitle } from '../../core/operation/power.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import { splitUndo } from '../../core/operation/to-undo.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { nameOfDrain } from '../rollout/draining.js';
import type { CompensationLog } from './operation.js';
import { nameOf } from './outcome.js';

/** The lines of a preview for undoing things, in this order: what was installed on a server goes with it. */
export function planUndoes(compensations: readonly Compensation[], stays?: Rollback['stays']): PlannedStep[] {
  const doomed = new Set(compensations.flatMap((one) => (one.undo === 'delete-server' ? [one.server] : [])));
  return compensations.flatMap((one) => (one.undo === 'host-steps' && doomed.has(one.server) ? [] : plannedUndo(one, stays)));
}

function plannedUndo(one: Compensation, stays?: Rollback['stays']): PlannedStep[] {
  switch (one.undo) {
    case 'delete-server':
      return [{ on: one.server, title: `Delete the server ${one.server}`, machine: 'delete', destructive: true }];
    case 'start-server':
      return [{ on: one.server, title: powerTitle('start', one.server) }];
    case 'delete-network':
      return [{ on: `network/${one.network}`, title: `Delete the network ${one.network}`, change: 'remove' }];
    case 'update-server':
      return [{ on: one.before.name, title: `Restore the server ${one.before.name}`, machine: 'update' }];
    case 'host-steps':
      return one.steps.flatMap((step, index) => (staysDone(one, index) ? [] : [undoLine(one, step)])).reverse();
    case 'moved-data':
      return [{ on: one.from, taskserv: one.taskserv, title: `Serve the former copy of ${one.taskserv} again`, change: 'restart' }];
    case 'drain':
      return [{ on: one.drain.server, taskserv: one.drain.taskserv, title: `Put ${nameOfDrain(one.drain)} back into service` }];
    case 'definition':
      return [{ on: 'definition', title: stays ? `Leave the definition to ${stays.operation}` : 'Restore the former definition' }];
  }
}

/** Work that an operation undoes if it rolls itself back, newest first: `nginx on web-1: 4 steps`. */
export function listUndone({ compensations }: CompensationLog): string[] {
  const { undo } = splitUndo(compensations, { rolledBack: true });
  return undo.reverse().map((one) => {
    if (one.undo !== 'host-steps') return nameOf(one);
    const count = one.steps.filter((_, index) => !staysDone(one, index)).length;
    return `${nameOf(one)}: ${count === 1 ? '1 step' : `${count} steps`}`;
  });
}

type HostSteps = Compensation & { undo: 'host-steps' };

/** Whether a step stays although the others of its service are undone: a repair, or what cannot be undone. */
const staysDone = ({ steps, keep = [] }: HostSteps, index: number): boolean =>
  keep.includes(index) || steps[index]?.irreversible === true;

/** Steps of a service that a roll-back keeps, with the reason. */
export function stepsThatStay(one: HostSteps): { title: string; why: string }[] {
  return one.steps.flatMap((step, index) =>
    staysDone(one, index) ? [{ title: step.title, why: step.irreversible ? 'it cannot be undone' : 'a repair' }] : [],
  );
}

const undoLine = ({ server, taskserv }: HostSteps, step: Step): PlannedStep => ({
  on: server,
  taskserv,
  title: `Undo: ${step.title}`,
  change: CHANGES[kindOf(step)] ?? (isRemoval(step) ? 'add' : 'remove'),
});

/** Effect of undoing a step by its kind. For the others it depends on whether they created or removed something. */
const CHANGES: Partial<Record<ReturnType<typeof kindOf>, PlannedStep['change']>> = {
  run: 'change',
  file: 'change',
  service: 'restart',
  records: 'change',
};

const isRemoval = (step: Step): boolean =>
  'absent' in step ||
  ('package' in step && step.package.state === 'absent') ||
  ('artifact' in step && step.artifact.state === 'absent');
