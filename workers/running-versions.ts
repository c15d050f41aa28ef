import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec, type SerializationContext } from '@temporalio/common';
import { type ListedWorkflow, listOpenWorkflows, queryRunning } from '../app/temporal/visibility.js';
import type { ServedEngine } from '../core/engine/engine.js';
import { isOpen } from '../core/engine/is-open.js';
import {
  isContinued,
  readWorkflowsVersion,
  VERSION_MEMO,
  WORKFLOWS_SINCE,
  WORKFLOWS_VERSION,
} from '../core/engine/workflows-version.js';
import { inputError } from '../core/errors.js';

/** Maximum number of blocking workflows that are named. */
const NAMED = 5;
/** Of Temporal's API: it stays on the build that began it. */
const PINNED = 1;

/** A workflow that runs, and the version of workflows that began it. */
export interface RunningWorkflow {
  workflowId: string;
  runId: string;
  version: number;
}

/**
 * Refuses to start a worker whose workflow code cannot replay the running workflows. Its workflow tasks would fail
 * repeatedly.
 *
 * @param codec of the worker: unsealed data are no evidence of a version
 * @param since ISO time: workflows that were started earlier are not checked
 * @returns the running workflows that were checked
 * @throws inputError `former-workflows`, `newer-workflows`, which name them
 */
export async function refuseOtherVersions(
  temporal: Client,
  codec: PayloadCodec,
  { taskQueue, deployment }: Pick<ServedEngine, 'taskQueue' | 'deployment'>,
  since?: string,
): Promise<RunningWorkflow[]> {
  const { namespace } = temporal.options;
  const running: RunningWorkflow[] = [];
  const others: { id: string; version: number }[] = [];
  const query = since === undefined ? queryRunning(taskQueue) : `${queryRunning(taskQueue)} AND StartTime >= '${since}'`;
  for await (const workflow of listOpenWorkflows(temporal, query, 1_000)) {
    // In a fleet a worker gets only workflows that are not pinned to another one.
    if (deployment !== undefined && workflow.versioningInfo?.behavior === PINNED) continue;
    const id = workflow.execution?.workflowId ?? '';
    const version = await versionIn(workflow, codec, { type: 'workflow', namespace, workflowId: id });
    running.push({ workflowId: id, runId: workflow.execution?.runId ?? '', version });
    if (isContinued(version)) continue;
    // The list lags behind recent ends.
    const { status } = await temporal.workflow.getHandle(id, workflow.execution?.runId ?? undefined).describe();
    if (isOpen(status.name)) others.push({ id, version });
  }
  const former = others.filter(({ version }) => version < WORKFLOWS_SINCE);
  if (former.length > 0) throw inTheWay(former, true);
  if (others.length > 0) throw inTheWay(others, false);
  return running;
}

async function versionIn({ memo }: ListedWorkflow, codec: PayloadCodec, context: SerializationContext): Promise<number> {
  const sealed = memo?.fields?.[VERSION_MEMO];
  if (!sealed) return readWorkflowsVersion(undefined);
  try {
    const [payload] = await codec.decode([sealed], context);
    return readWorkflowsVersion({ [VERSION_MEMO]: defaultPayloadConverter.fromPayload(payload as Payload) });
  } catch {
    return readWorkflowsVersion(undefined);
  }
}

function inTheWay(workflows: readonly { id: string; version: number }[], former: boolean) {
  const [count, one] = [workflows.length, workflows.length === 1];
  const ids = workflows.map(({ id }) => id).sort();
  const versions = [...new Set(workflows.map(({ version }) => version))].sort((a, b) => a - b);
  const known =
    WORKFLOWS_SINCE === WORKFLOWS_VERSION ? `version ${WORKFLOWS_VERSION}` : `versions ${WORKFLOWS_SINCE} to ${WORKFLOWS_VERSION}`;
  const build = former ? 'an older' : 'a newer';
  return inputError({
    code: former ? 'former-workflows' : 'newer-workflows',
    what: 'start the worker',
    on: ids.slice(0, NAMED).join(', ') + (count > NAMED ? `, and ${count - NAMED} more` : ''),
    why: `${one ? 'it was' : 'they were'} begun by ${build} build (workflows of version ${versions.join(', ')}), but this build only continues ${known}`,
    hint: former
      ? 'run `provisioning up` of the build that began them, let them end or `provisioning workflow cancel` them, then run it here again; docs/operate/operating.md'
      : 'run `provisioning up` of the build that began them, or a newer one; docs/operate/operating.md',
  });
}
