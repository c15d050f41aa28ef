import type { Engine } from '../engine.js';
import { translateFault } from '../temporal/fault.js';
import { LATEST_RUN_CONDITION, OPEN } from '../temporal/visibility.js';
import { countEnded, readThrough } from './ended-list.js';
import { operationsWhere } from './list.js';
import type { OperationFilter } from './operation-filter.js';

/** Counts the operations of a list without reading the list. */
export async function countOperations(engine: Engine, filter: OperationFilter): Promise<number> {
  const { through } = await readThrough(engine);
  const terms = [operationsWhere(filter), LATEST_RUN_CONDITION];
  // One query only: an operation that ends during the count is counted once.
  if (through !== undefined) terms.push(`(${OPEN} OR CloseTime >= '${through}')`);
  try {
    const { count } = await engine.temporal.workflow.count(terms.join(' AND '));
    return count + (through === undefined ? 0 : await countEnded(engine, filter, through));
  } catch (error) {
    throw translateFault(error, 'the number of operations');
  }
}
