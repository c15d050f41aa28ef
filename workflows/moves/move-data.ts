import type { WorkScope } from '../../core/operation/work-scope.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { DataMove, MovedData } from '../../core/taskserv/data-move.js';
import type {
  ActivityUser,
  AnyPhase,
  AttemptRunner,
  CompensationLog,
  InfraView,
  ProgressView,
  Recording,
} from '../operation/operation.js';
import { scopeOf } from '../runbook/scope-of.js';
import { type Move, planMoves } from './moves.js';

/** Moves the data of services. */
export type MovingData = AnyPhase &
  Recording &
  CompensationLog &
  AttemptRunner &
  ProgressView &
  ActivityUser<'planMove' | 'movePart'>;

/** How a server is reached now. */
export function describeReachedServer({ inventory }: InfraView, name: string) {
  const server = inventory.servers[name];
  return server && { server: name, provider: server.provider, connection: server.connection };
}

async function planMove(operation: AnyPhase & ActivityUser<'planMove'>, { spec, from, to }: Move): Promise<DataMove> {
  const former = operation.inventory.servers[from]?.services[spec.name];
  return operation.activities.planMove.executeWithOptions({ summary: `Plan the move of ${spec.name} from ${from} to ${to}` }, [
    {
      scope: scopeOf(operation),
      ...{ taskserv: spec.name, config: spec.config, version: spec.version, from, to },
      operation: operation.request.id,
      former: { version: former?.version ?? spec.version, config: former?.config ?? spec.config },
    },
  ]);
}

/** Adds the lines of moves to the preview. A service is removed there only after its data has moved. */
export async function addMoves(
  operation: AnyPhase & ActivityUser<'planMove'>,
  work: WorkScope,
  lines: PlannedStep[],
): Promise<PlannedStep[]> {
  const moves = planMoves(work, operation.inventory);
  if (moves.length === 0) return lines;
  const isFormer = ({ on, taskserv }: PlannedStep) => moves.some(({ spec, from }) => spec.name === taskserv && from === on);
  const added: PlannedStep[] = [];
  for (const move of moves) {
    const { parts } = await planMove(operation, move);
    const { to: on, spec } = move;
    const changes = parts.map(({ interrupts }) => (interrupts ? ('interrupt' as const) : ('change' as const)));
    added.push(...parts.map(({ title }, index) => ({ on, taskserv: spec.name, title, change: changes[index] })));
  }
  return [...lines.filter((line) => !isFormer(line)), ...added, ...lines.filter(isFormer)];
}

/** Moves the data to a service that is there already and began empty. Each part is done once in all runs of the operation. */
export async function moveData(operation: MovingData, move: Move): Promise<void> {
  const { spec, from, to } = move;
  const at = { server: to, taskserv: spec.name };
  const on = `${to}/${spec.name}`;
  const run = async () => {
    const planned = await planMove(operation, move);
    const undo = noted(operation, move, planned);
    for (const [index, part] of planned.parts.entries()) {
      operation.continuation.leaveToNextRun();
      await operation.continuation.once(`moved/${on}/${index}`, async () => {
        operation.show({ ...at, state: 'running', step: part.title, done: index, total: planned.parts.length });
        const [former, fresh] = [describeReachedServer(operation, from), describeReachedServer(operation, to)];
        if (!former || !fresh) return;
        // Before it begins, because its possible effects must be undone.
        undo.begun = Math.max(undo.begun, index + 1);
        await operation.activities.movePart.executeWithOptions({ summary: part.title }, [
          { scope: scopeOf(operation), taskserv: spec.name, former, new: fresh, part },
        ]);
        operation.executed(1);
      });
    }
    undo.done = true;
  };
  await operation.attempt({ step: `Move the data of ${spec.name} from ${from}`, on, required: true }, run);
}

/** Notes the move in the inventory and among what can be rolled back, once. */
function noted({ compensations, inventory, recordSoon }: MovingData, { spec, from, to }: Move, move: DataMove) {
  const known = compensations.find(
    (one) => one.undo === 'moved-data' && one.taskserv === spec.name && one.from === from && one.to === to,
  );
  if (known?.undo === 'moved-data') return known;
  const service = inventory.servers[from]?.services[spec.name];
  if (service) recordSoon({ change: 'service', server: from, service: { ...service, movesTo: to } });
  const undo: MovedData = { undo: 'moved-data', taskserv: spec.name, from, to, move, begun: 0 };
  compensations.push(undo);
  return undo;
}
