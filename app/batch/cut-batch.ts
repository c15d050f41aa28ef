import { type Client as Temporal, WorkflowNotFoundError } from '@temporalio/client';
import { isOpen } from '../../core/engine/is-open.js';
import { type BatchMark, type BatchState, batchOperationId, MARK_OF, MARKS } from '../../core/operation/batch.js';
import { attributeOf } from '../temporal/visibility.js';

/** Questions that are on their way to the server at once. */
const ASKED_AT_ONCE = 20;
/** Ids that are remembered, at most. */
const KEPT = 20_000;

/** End of an operation in a batch; `running` if it has not ended. */
type End = 'running' | 'done' | 'failed' | 'canceled' | 'superseded';

/** Returns the state of a workflow; undefined if no workflow has this id. */
async function endOf(temporal: Temporal, id: string): Promise<End | undefined> {
  try {
    const found = await temporal.workflow.getHandle(id).describe();
    const { name } = found.status;
    if (isOpen(name)) return 'running';
    if (name === 'COMPLETED') return 'done';
    const said = attributeOf(found, 'status');
    if (said === 'superseded') return said;
    return name === 'CANCELLED' || said === 'canceled' ? 'canceled' : 'failed';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Returns the state of a batch that was ended at Temporal, so that it could not update its record. Operations that it
 * had started continue without it, so their marks are read from the operations themselves. Operations that it had not
 * started will never start.
 *
 * @param how Temporal's name of the end
 */
export async function cutShort(temporal: Temporal, state: BatchState, how: string): Promise<BatchState> {
  const marks = [...state.marks];
  const why = { ...state.why };
  const at = (index: number) => MARK_OF[marks[index] as string] as BatchMark;
  const open = marks.flatMap((_, index) => (['running', 'asking', 'undoing'].includes(at(index)) ? [index] : []));
  await workOnEach(open, async (index) => {
    const undoing = at(index) === 'undoing';
    const end = await endOf(temporal, batchOperationId(state.batch, index, state.again[index], undoing));
    const mark: BatchMark = undoing ? afterUndo(end) : (end ?? 'canceled');
    marks[index] = MARKS[mark];
    if (mark === 'running') why[index] = 'it goes on without the batch';
    if (end === 'canceled' && !undoing) why[index] = 'it was canceled';
  });
  return {
    ...state,
    status: 'failed',
    cut: how === 'TERMINATED' ? 'it was terminated from outside' : `it ended without a word (${how.toLowerCase()})`,
    marks: marks.join('').replaceAll(MARKS.waiting, MARKS.canceled),
    why,
    waiting: undefined,
    undecided: [],
  };
}

/** An operation that was not rolled back yet keeps its effect. */
function afterUndo(end: End | undefined): BatchMark {
  if (end === undefined) return 'done';
  return end === 'running' ? 'undoing' : end === 'done' ? 'undone' : 'left';
}

/** Returns which of these workflows exist. An existing workflow is cached, and never queried again. */
export function readKnownWorkflows(temporal: Temporal): (ids: string[]) => Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  return async (ids) => {
    if (known.size > KEPT) known.clear();
    await workOnEach(
      ids.filter((id) => !known.has(id)),
      async (id) => {
        if ((await endOf(temporal, id)) !== undefined) known.add(id);
      },
    );
    return known;
  };
}

/** Does it for each, some at a time. */
export async function workOnEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const one = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(ASKED_AT_ONCE, items.length) }, one));
}
