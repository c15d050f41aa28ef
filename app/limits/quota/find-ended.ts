import { isGrpcServiceError, type Client as Temporal } from '@temporalio/client';
import { isOpen } from '../../../core/engine/is-open.js';
import type { QuotaClaim } from '../../../stores/rows/quotas.js';
import { translateFault } from '../../temporal/fault.js';

/** Work that was claimed this long ago and is not there has never begun, in milliseconds. */
const BEGINS_WITHIN_MS = 60_000;
/** Workflows that are queried at a time. */
const AT_ONCE = 20;
/** gRPC's status of a workflow that does not exist. */
const NOT_FOUND = 5;
/** Of Temporal: `WORKFLOW_EXECUTION_STATUS_…`. */
const NAMES = [
  'UNSPECIFIED',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'TERMINATED',
  'CONTINUED_AS_NEW',
  'TIMED_OUT',
  'PAUSED',
];

/** Ids of claims whose work has ended, or never began. */
export async function findEnded(
  temporal: Pick<Temporal, 'workflowService' | 'options'>,
  claims: readonly QuotaClaim[],
  now = Date.now(),
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  for (let first = 0; first < claims.length; first += AT_ONCE)
    await Promise.all(
      claims.slice(first, first + AT_ONCE).map(async ({ id, at }) => {
        const isThere = await isRunning(temporal, id);
        if (isThere === false || (isThere === undefined && now - Date.parse(at) > BEGINS_WITHIN_MS)) ended.add(id);
      }),
    );
  return ended;
}

/** Returns whether a workflow runs; undefined for an unknown workflow. */
async function isRunning(
  { workflowService, options: { namespace } }: Pick<Temporal, 'workflowService' | 'options'>,
  workflowId: string,
): Promise<boolean | undefined> {
  const found = await workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId } })
    .catch((error: unknown) => {
      if (isGrpcServiceError(error) && error.code === NOT_FOUND) return undefined;
      throw translateFault(error, workflowId);
    });
  return found && isOpen((NAMES[found.workflowExecutionInfo?.status ?? 1] ?? 'RUNNING') as never);
}
