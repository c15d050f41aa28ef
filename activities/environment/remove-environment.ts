import { setTimeout as sleep } from 'node:timers/promises';
import { cancellationSignal } from '@temporalio/activity';
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { quoteValue } from '../../core/engine/quote-value.js';
import { END_BY_CANCEL, END_BY_TIME, type EnvironmentEnd } from '../../core/environment/test-environment.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { infraWorkflowId, OPERATION_KINDS, SEARCH_ATTRIBUTES, testEnvironmentId } from '../../core/names.js';
import type { Controller } from '../../core/operation/control.js';
import type { Holder, OperationRequest, Waiter } from '../../core/operation/operation.js';
import type { Dependencies } from '../dependencies.js';
import { isRunning } from '../infra/is-running.js';
import { startOptions } from '../infra/operation-start.js';
import type { ConnectionOf } from '../machine/provider-connections.js';

/** Provider of test environments, whatever providers their definitions name. */
const PROVIDER = 'local';
/** Time in milliseconds between stopping operations and abandoning their current steps. */
const STOP_WITHIN_MS = 20_000;
/** Pauses between two looks, in milliseconds: the first, each further one half as long again, up to the last. */
const FIRST_POLL_MS = 200;
const LAST_POLL_MS = 5_000;

const REASONS: Readonly<Record<string, EnvironmentEnd['reason']>> = { [END_BY_TIME]: 'expired', [END_BY_CANCEL]: 'canceled' };

export interface RemoveEnvironmentInput {
  workspace: string;
  infra: string;
  actor: string;
  /** Counts the tries, each of which deletes by an operation of its own. */
  attempt: number;
  /** Why it is removed. Absent in histories of former releases. */
  ending?: string | undefined;
}

/**
 * Removes a test environment. It stops work on it, and deletes its infra by a normal operation. Then it removes
 * everything that this machine still has with its labels, which no inventory knows if an engine was lost.
 */
export function createRemoveEnvironment({
  temporal,
  taskQueue,
  list,
  connectionOf,
  recordEnd,
}: Pick<Dependencies, 'temporal' | 'taskQueue' | 'list' | 'recordEnd'> & { connectionOf: ConnectionOf }) {
  return async ({ workspace, infra, actor, attempt, ending = '' }: RemoveEnvironmentInput): Promise<void> => {
    const place = { workspace, infra };
    const id = `cluster-delete-${infra}-${await suffixOf(temporal, place)}-${attempt}`;
    const reason = REASONS[ending];
    // Before it does anything: a removal that cannot be recorded is tried again later.
    if (reason && attempt === 1) await recordEnd?.({ ...place, actor, operation: id, reason });
    await endOthers({ temporal, list }, place, id, { actor, why: 'its test environment is removed' });
    if (await isRunning(temporal, infraWorkflowId(workspace, infra)))
      await runDelete(temporal, taskQueue, {
        ...{ id, kind: 'cluster', workspace, infra, intent: { verb: 'delete' }, actor },
        ...{ allowDestroy: true, onFailure: 'keep', onTimeout: 'keep' },
      });
    await removeLabelled(await connectionOf(PROVIDER), place, taskQueue);
    const left = await operationsOn({ temporal, list }, place);
    if (left.length > 0) throw notRemoved(infra, `${left.join(', ')} began to work on it meanwhile`);
  };
}

type Place = Pick<RemoveEnvironmentInput, 'workspace' | 'infra'>;
type Sources = Pick<Dependencies, 'temporal' | 'list'>;

const notRemoved = (infra: string, why: string) =>
  inputError({ code: 'environment-not-removed', what: 'remove the test environment', on: infra, why });

/** Suffix that distinguishes this removal from one of an earlier environment of the name. */
async function suffixOf(temporal: Client, { workspace, infra }: Place): Promise<string> {
  const { runId } = await temporal.workflow.getHandle(testEnvironmentId(workspace, infra)).describe();
  return runId.replaceAll('-', '').slice(-12);
}

/** Has whatever works on it, or waits to, come to its end. */
async function endOthers(sources: Sources, place: Place, own: string, by: Controller): Promise<void> {
  const told = new Map<string, number>();
  for (let pause = FIRST_POLL_MS; ; pause = longer(pause)) {
    const others = (await operationsOn(sources, place)).filter((id) => id !== own);
    if (others.length === 0) return;
    for (const operation of others) {
      const since = told.get(operation);
      if (since === undefined) await tell(sources.temporal, operation, 'stop', by);
      else if (Date.now() - since > STOP_WITHIN_MS) await tell(sources.temporal, operation, 'force', by);
      else continue;
      told.set(operation, Date.now());
    }
    await sleep(pause, undefined, { signal: cancellationSignal() });
  }
}

const longer = (pause: number): number => Math.min(1.5 * pause, LAST_POLL_MS);

async function tell(temporal: Client, operation: string, update: 'stop' | 'force', by: Controller): Promise<void> {
  const handle = temporal.workflow.getHandle(operation);
  try {
    await handle.executeUpdate(update, { args: [by] });
    // After a signed stop it ends as canceled at Temporal as well.
    if (update === 'stop') await handle.cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError)) throw error;
  }
}

/** The operations on an infra that have not ended: what its entity knows of, and what Temporal lists. */
async function operationsOn({ temporal, list }: Sources, { workspace, infra }: Place): Promise<string[]> {
  const found = new Set<string>();
  const entity = temporal.workflow.getHandle(infraWorkflowId(workspace, infra));
  if (await isRunning(temporal, entity.workflowId)) {
    const { holders, waiters } = await entity.query<{ holders: Holder[]; waiters: Waiter[] }>('locks');
    for (const { operation } of [...holders, ...waiters]) found.add(operation);
  }
  const kinds = OPERATION_KINDS.map(quoteValue).join(', ');
  const query = [
    `${SEARCH_ATTRIBUTES.workspace} = ${quoteValue(workspace)} AND ${SEARCH_ATTRIBUTES.infra} = ${quoteValue(infra)}`,
    `${SEARCH_ATTRIBUTES.kind} IN (${kinds}) AND ExecutionStatus = 'Running'`,
  ].join(' AND ');
  for await (const { workflowId } of list(query)) found.add(workflowId);
  const running = await Promise.all([...found].map(async (id) => ((await isRunning(temporal, id)) ? [id] : [])));
  return running.flat();
}

/** Deletes the infra. An earlier try of this very removal may have begun it. */
async function runDelete(temporal: Client, taskQueue: string, request: OperationRequest): Promise<void> {
  try {
    await temporal.workflow.start(request.kind, startOptions(request, { taskQueue }));
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  const handle = temporal.workflow.getHandle(request.id);
  for (let pause = FIRST_POLL_MS; await isRunning(temporal, request.id); pause = longer(pause))
    await sleep(pause, undefined, { signal: cancellationSignal() });
  const { status } = await handle.describe();
  if (status.name !== 'COMPLETED') throw notRemoved(request.infra, `provisioning workflow status ${request.id} says why`);
}

/** Removes labelled resources: machines before the resources that they use. */
async function removeLabelled(
  { owned, servers, volumes, networks }: Awaited<ReturnType<ConnectionOf>>,
  { workspace, infra }: Place,
  setup: string,
): Promise<void> {
  const signal = cancellationSignal();
  const all = await owned({ workspace, setup, signal }).catch((error: unknown) => {
    // Without Docker nothing was created, and inventoried resources were deleted before.
    if (error instanceof ProvisioningError && error.details.code === 'docker-not-running') return [];
    throw error;
  });
  const rows = all.filter(({ scope }) => scope.infra === infra);
  for (const [kind, remove] of Object.entries({ server: servers.delete, volume: volumes.delete, network: networks.delete }))
    for (const one of rows) if (one.kind === kind) await remove(one.name, { scope: one.scope, signal });
}
