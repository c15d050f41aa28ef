import { workflowInfo } from '@temporalio/workflow';
import type { VerifyInput } from '../../activities/service/verify.js';
import type { ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import { peersFor } from '../../core/definition/peers.js';
import { same } from '../../core/encoding/hash.js';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import type { ServiceState } from '../../core/operation/operation.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import type { ActivityUser, AnyPhase, ProgressView, Recording } from '../operation/operation.js';
import { scopeOf } from './scope-of.js';

/** Time for the answer of an unchanged service, in milliseconds, because it may be starting. */
const UNCHANGED_HEALTH_MS = 5_000;

/** Waits until a service answers as it should, or says why it does not. */
export async function verifyOne(
  operation: AnyPhase & ProgressView & ActivityUser<'verify'>,
  work: WorkScope,
  server: ServerSpec,
  taskserv: TaskservSpec,
  changedNow: boolean,
  changed: NonNullable<VerifyInput['changed']> = [],
) {
  const { name, provider, role, plan } = server;
  const connection = operation.inventory.servers[name]?.connection;
  if (!connection) return { healthy: false, why: 'the server is not in the inventory' };
  operation.show({ server: name, taskserv: taskserv.name, state: 'running', step: 'Check the health' });
  const wait = operation.request.timing?.healthMs ?? 60_000;
  return operation.activities.verify.executeWithOptions({ summary: `${taskserv.name} on ${name}: health` }, [
    {
      scope: scopeOf(operation),
      server: name,
      connection,
      provider,
      role,
      memoryMiB: plan.memoryMiB,
      taskserv,
      peers: peersFor(work.peers, [name], [taskserv]),
      ...(changed.length > 0 && { changed }),
      withinMs: changedNow ? wait : Math.min(wait, UNCHANGED_HEALTH_MS),
    },
  ]);
}

/** The version of workflows since which what was done to a service is recorded, also where it is as it was said to be. */
const DONE_SINCE = 2;

/**
 * Writes a service into the result, and into the inventory where something differs from what it says.
 *
 * @param state `acted`: this operation did something to it, so that none before it can be rolled back there
 */
export async function remember(
  operation: AnyPhase & Recording,
  { name }: ServerSpec,
  spec: TaskservSpec,
  state: { healthy: boolean; why?: string; installed?: string; acted?: boolean },
): Promise<void> {
  const { progress, inventory, request } = operation;
  const row = {
    server: name,
    taskserv: spec.name,
    version: state.installed ?? spec.version,
    healthy: state.healthy,
    ...(state.why ? { why: state.why } : {}),
  };
  putInOrder(progress.services, row);
  const known = inventory.servers[name]?.services[spec.name];
  const service = {
    taskserv: spec.name,
    version: spec.version,
    installed: state.installed,
    config: spec.config,
    ...(spec.module !== undefined && { module: spec.module }),
    healthy: state.healthy,
    ...(spec.group !== undefined && { group: spec.group }),
  };
  const isNews = state.acted && readWorkflowsVersion(workflowInfo().memo) >= DONE_SINCE && known?.since !== request.id;
  if (known && !isNews && same({ ...known, since: '' }, { ...service, since: '' })) return;
  await operation.record({ change: 'service', server: name, service: { ...service, since: request.id } });
}

/** In place of its former row, or where it belongs by server and taskserv: there may be thousands. */
function putInOrder(rows: ServiceState[], row: ServiceState): void {
  const key = ({ server, taskserv }: ServiceState) => `${server}/${taskserv}`;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(rows[middle] as ServiceState) < key(row)) low = middle + 1;
    else high = middle;
  }
  const there = rows[low];
  rows.splice(low, there && key(there) === key(row) ? 1 : 0, row);
}
