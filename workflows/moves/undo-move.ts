import { inputError } from '../../core/errors.js';
import type { Compensation } from '../../core/operation/to-undo.js';
import type { MovedData } from '../../core/taskserv/data-move.js';
import type { ActivityUser, AnyPhase, CompensationLog, ProgressView, Recording } from '../operation/operation.js';
import { describeReachedServer } from './move-data.js';

/**
 * Why moves of data cannot be undone: something was written on the new server since, which the former copy does not have.
 * Undefined where nothing was.
 */
export async function explainKept(
  operation: AnyPhase & ActivityUser<'writtenSince'>,
  compensations: readonly Compensation[],
): Promise<string | undefined> {
  const { workspace, infra, uuid } = operation.inventory;
  for (const one of compensations) {
    if (one.undo !== 'moved-data' || !one.done) continue;
    const fresh = describeReachedServer(operation, one.to);
    if (!fresh) continue;
    const written = await operation.activities.writtenSince.executeWithOptions(
      { summary: `Check what was written to ${one.taskserv} on ${one.to}` },
      [{ scope: { workspace, infra, uuid }, ...fresh, taskserv: one.taskserv, written: one.move.written }],
    );
    if (written !== '')
      return `${one.taskserv} on ${one.to} was written to since it has the data of ${one.from} (${written}): the former copy on ${one.from} is without that, which a roll-back would lose`;
  }
  return undefined;
}

/** @throws the input error `data-written` where a roll-back would lose what was written since data moved */
export async function refuseWritten(
  operation: AnyPhase & ActivityUser<'writtenSince'>,
  of: string,
  undo: readonly Compensation[],
): Promise<void> {
  const why = await explainKept(operation, undo);
  if (why === undefined) return;
  throw inputError({
    code: 'data-written',
    what: 'roll back the operation',
    on: of,
    why,
    hint: 'to go back with all data, put the service on its former server in the definition, with moveData: true, and apply that',
  });
}

/** Undoes the parts of a move that were begun, the last one first. The former copy serves again. */
export async function undoMove(
  operation: Recording & ProgressView & CompensationLog & ActivityUser<'undoMovePart'>,
  { taskserv, from, to, move, begun }: MovedData,
): Promise<'nothing-to-undo' | undefined> {
  const { workspace, infra, uuid } = operation.inventory;
  const [former, fresh] = [describeReachedServer(operation, from), describeReachedServer(operation, to)];
  if (!former || !fresh) return 'nothing-to-undo';
  operation.show({ server: to, taskserv, state: 'running', step: 'Roll back the move of its data' });
  for (const part of move.parts.slice(0, begun).reverse()) {
    if (!('run' in part) || !part.undo) continue;
    await operation.activities.undoMovePart.executeWithOptions({ summary: `Roll back: ${part.title}` }, [
      { scope: { workspace, infra, uuid }, taskserv, former, new: fresh, part },
    ]);
  }
  const service = operation.inventory.servers[from]?.services[taskserv];
  if (service?.movesTo !== undefined) {
    const { movesTo: _, ...stays } = service;
    await operation.record({ change: 'service', server: from, service: stays });
  }
  return begun === 0 ? 'nothing-to-undo' : undefined;
}
