import { WorkflowExecutionAlreadyStartedError, WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { pack } from '../../core/encoding/pack.js';
import { isOpen } from '../../core/engine/is-open.js';
import { inputError, type ProvisioningError } from '../../core/errors.js';
import type { Feed } from '../../core/infra/feed.js';
import type { FeedState } from '../../core/infra/feed-state.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { machineOf } from '../../core/machine/existing.js';
import { infraWorkflowId } from '../../core/names.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import { hostWords } from '../../core/recovery/recovered-hosts.js';
import { hasLife, planRecovery, type Recovery } from '../../core/recovery/recovery.js';
import type { LabelledThings, RecoveryReport } from '../../core/recovery/recovery-report.js';
import { listLeftServers } from '../../core/recovery/recovery-without-feed.js';
import type { LabelsRequest } from '../../core/schema/labels.js';
import type { infra as Infra, labels } from '../../workflows/index.js';
import type { Engine } from '../engine.js';
import { findFailingTask } from '../temporal/failing-task.js';
import { translateFault } from '../temporal/fault.js';
import { inquire } from '../temporal/inquiry.js';
import { queryInventory, queryLocks } from './entity.js';

interface Place {
  workspace: string;
  infra: string;
}

/** An infra, and the former machines of its definition, if they are given. */
interface Lost extends Place {
  machines?: LabelsRequest['machines'];
}

/**
 * Recovers an infra that the engine has lost: from its feed, otherwise from labels and the marks of hosts.
 *
 * @param check only reports
 * @throws inputError `infra-lives`, `nothing-to-recover`, `feed-damaged`
 */
export async function recover(
  engine: Engine,
  { workspace, infra, machines = [] }: Lost,
  actor: string,
  check: boolean,
): Promise<RecoveryReport> {
  const place = { workspace, infra };
  const { standing, run } = await standingOf(engine, place);
  if (standing === 'lives') throw lives(place, 'it is there, and has what it knows of');
  const feeds = await engine.stores.feeds.read(place);
  const labelled = await inquire<typeof labels>(
    engine,
    'labels',
    // A feed has all data that hosts have, and more.
    { workspace, infra, actor, ...(!hasLife(place, feeds) && { machines }) },
    {
      id: `labels-${workspace}-${infra}`,
      summary: `Look for labels of ${infra}`,
      attributes: attributesFrom({ workspace, infra, actor, kind: 'labels' }),
    },
  );
  const own = machines.flatMap(machineOf);
  const found = planRecovery(place, feeds, labelled, own);
  if (!found) throw nothing(place, feeds, labelled, own);
  if (check) return found.report;
  if (run !== undefined) await end(engine, place, run);
  await beginInfra(engine, place, found);
  return { ...found.report, recovered: true };
}

function nothing(place: Place, feeds: readonly Feed[], labelled: LabelledThings, machines: InventoryServer[]): ProvisioningError {
  const traces = [
    feeds.length > 0
      ? 'it was deleted'
      : 'the store has nothing of it, and nothing at the providers bears the labels of this set-up and of the infra',
    ...listLeftServers(place, feeds, labelled, machines).map(({ name, host }) => `${name} ${hostWords(host)}`),
  ];
  const silent = labelled.unasked.map(({ provider }) => provider).join(', ');
  const file = machines.length > 0 ? '' : 'machines that were there before are named by their definition: --file FILE';
  return inputError({
    code: 'nothing-to-recover',
    what: 'recover the infra',
    on: place.infra,
    why: traces.join('; '),
    hint: silent ? `without an answer: ${silent}` : file || undefined,
  });
}

/**
 * Returns the state of the entity. `refused`: its run knows less than its feed, and admits no operation. `failing`:
 * its tasks fail repeatedly, and it answers no query.
 */
async function standingOf(
  engine: Engine,
  place: Place,
): Promise<{ standing: 'lost' | 'lives' | 'refused' | 'failing'; run?: string }> {
  const handle = engine.temporal.workflow.getHandle(infraWorkflowId(place.workspace, place.infra));
  try {
    const described = await handle.describe();
    const { status, runId } = described;
    if (!isOpen(status.name)) return { standing: 'lost' };
    if (findFailingTask(described)) return { standing: 'failing', run: runId };
    const { trouble } = await handle.query<FeedState>('feed');
    if (trouble?.refused) return { standing: 'refused', run: runId };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { standing: 'lost' };
    throw translateFault(error, `infra ${place.infra}`);
  }
  if (await queryInventory(engine, place)) return { standing: 'lives' };
  const { holders, waiters } = await queryLocks(engine, place);
  return { standing: holders.length + waiters.length > 0 ? 'lives' : 'lost' };
}

/** Ends the run that admits no operation, and no later run: the infra may have been recovered since, and be in use. */
async function end({ temporal }: Engine, { workspace, infra }: Place, run: string): Promise<void> {
  try {
    await temporal.workflow.getHandle(infraWorkflowId(workspace, infra), run).terminate('recovered from its feed');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw translateFault(error, `infra ${infra}`);
  }
}

/**
 * Starts the entity with the known data of the infra, and waits until it answers.
 *
 * @throws inputError `infra-lives` if there is one
 */
export async function beginInfra(engine: Engine, place: Place, { known, last }: Pick<Recovery, 'known' | 'last'>): Promise<void> {
  const { workspace, infra } = place;
  const { temporal, taskQueue } = engine;
  try {
    await temporal.workflow.start<typeof Infra>('infra', {
      workflowId: infraWorkflowId(workspace, infra),
      taskQueue,
      args: [{ workspace, infra, recovered: { packed: pack({ ...known, last }) } }],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
      typedSearchAttributes: attributesFrom({ workspace, infra, kind: 'infra' }),
      staticSummary: `Inventory and locks of infra ${infra}`,
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) throw lives(place, 'an operation has just started on it');
    throw translateFault(error, `infra ${infra}`);
  }
  await queryInventory(engine, place);
}

const lives = ({ infra }: Place, why: string): ProvisioningError =>
  inputError({
    code: 'infra-lives',
    what: 'recover the infra',
    on: infra,
    why,
    hint: `\`provisioning refresh ${infra}\` compares it with the clouds, and \`provisioning orphans\` lists untracked resources`,
  });
