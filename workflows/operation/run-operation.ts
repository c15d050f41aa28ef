import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  defineQuery,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { exitCodeOf } from '../../core/exit-codes.js';
import { inventoryOf } from '../../core/infra/grant.js';
import type { InventoryChange } from '../../core/infra/inventory.js';
import { record } from '../../core/infra/inventory.js';
import { lockRequestOf } from '../../core/infra/lock-request.js';
import { infraWorkflowId, SEARCH_ATTRIBUTES } from '../../core/names.js';
import type {
  Grant,
  OperationRequest,
  OperationResult,
  OperationStatus,
  Progress,
  ServiceState,
} from '../../core/operation/operation.js';
import { queued } from '../../core/operation/operation.js';
import { activitiesFor } from '../activities.js';
import { tellBatch } from '../batch/tell-batch.js';
import { acquire, changed, granted, release } from '../infra/infra.js';
import { listAs } from '../inquiry/listed.js';
import { undrainAll } from '../rollout/draining.js';
import { attemptsOf, reason } from './attempts.js';
import { badOperation } from './checked-request.js';
import { type ControlState, controlOf } from './control.js';
import { renderDetails } from './details.js';
import { describeFailure, GivenUp, OperationStopped } from './failures.js';
import { gated } from './gated.js';
import { judgeInput } from './new-input.js';
import { noteStart } from './note-start.js';
import type { Operation } from './operation.js';
import { failureWith, policyOf, summaryOf, unknownOutcome, whatIsLeft } from './outcome.js';
import { readRollback, undoCompensations } from './roll-back.js';

/** Where the operation stands; works after its end too. */
export const progressQuery = defineQuery<Progress>('progress');
/** What it was asked to do. */
export const requestQuery = defineQuery<OperationRequest>('request');

/** The frame of every operation: admission, the work, and one of the ways in which it ends. */
export async function runOperation(
  asked: OperationRequest,
  work: (operation: Operation) => Promise<void>,
): Promise<OperationResult> {
  const bad = badOperation(asked);
  if (bad) {
    setHandler(progressQuery, () => ({ ...bad, cells: [] }));
    throw failureWith(bad);
  }
  const request = { ...asked };
  const { id, workspace, infra } = request;
  const progress: Progress = { ...queued(request), cells: [] };
  /** Where in the list of cells a thing is. */
  const places = new Map<string, number>();
  // Temporal's own cancel reaches control.ts alone: without a signed stop nothing ends.
  const shield = new CancellationScope({ cancellable: false });
  const scope = new CancellationScope({ cancellable: true, parent: shield });
  let grant: Grant | undefined;
  const unsaid: InventoryChange[] = [];
  let stands: { status: OperationStatus; waiting?: string } = { status: 'queued' };
  let controlled: ControlState = {};
  let attention = '';
  listAs({ kind: request.kind, workspace, infra, actor: request.actor });
  const refresh = () => setCurrentDetails(renderDetails(progress));
  const show = () => {
    const { question, paused } = stands.status === 'running' || controlled.question?.kind === 'cancel' ? controlled : {};
    const status = question ? 'waiting' : paused ? 'paused' : stands.status;
    const waiting = question?.text ?? (paused ? `paused by ${paused.actor} since ${paused.at}${reason(paused)}` : stands.waiting);
    const wanted = question?.kind ?? (status === 'rolled-back' && progress.left?.length ? 'left' : '');
    // A batch's operation is started as running, and what is completed is done: an upsert costs as much as a step.
    const known = status === 'done' || (status === 'running' && progress.status === 'queued' && request.batch !== undefined);
    if ((progress.status !== status && !known) || attention !== wanted) {
      upsertSearchAttributes({
        [SEARCH_ATTRIBUTES.status]: [status],
        [SEARCH_ATTRIBUTES.attention]: wanted ? [wanted] : [],
      });
      attention = wanted;
    }
    Object.assign(progress, { status, waiting, question: question?.kind });
    refresh();
  };
  const enter = (status: OperationStatus, waiting?: string) => {
    stands = { status, waiting };
    show();
  };

  setHandler(granted, (given) => {
    grant ??= given;
  });
  setHandler(progressQuery, () => progress);
  setHandler(requestQuery, () => request);

  const activities = activitiesFor(request.timing, request.batch !== undefined);
  const control = controlOf({
    record: progress.control,
    changed(state) {
      controlled = state;
      show();
    },
    stop: () => scope.cancel(),
    pause(count) {
      // Also after a cancel, in whose scope nothing would begin.
      const ask = async () => {
        for (const at of operation.atWork) activities.pause({ ...at, count }).catch(() => {});
      };
      void CancellationScope.nonCancellable(ask);
    },
    judgeInput: (definition) => judgeInput(asked, definition, operation.inventory),
  });

  const entity = getExternalWorkflowHandle(infraWorkflowId(workspace, infra));
  const operation: Operation = {
    request,
    // What was done is told also while nothing new begins; what a restart switched off does not stay so for a pause.
    activities: {
      ...gated(activities, control.go),
      tell: activities.tell,
      askNewInfra: activities.askNewInfra,
      powerOn: activities.powerOn,
    },
    control,
    submitted: workflowInfo().startTime.toISOString(),
    inventory: { workspace, infra, uuid: '', servers: {}, networks: {} },
    progress,
    compensations: [],
    get stopped() {
      return control.stopping || attempts.turning;
    },
    get changes() {
      return attempts.changes;
    },
    leftOut: new Map(),
    atWork: new Set(),
    key: (step, generation = 1) => `${id}/${step}/${generation}`,
    show(cell) {
      const thing = cell.taskserv ? `${cell.server}/${cell.taskserv}` : cell.server;
      const index = places.get(thing);
      const former = index === undefined ? undefined : progress.cells[index];
      if (index === undefined) places.set(thing, progress.cells.push(cell) - 1);
      // What this operation did before its input changed stays done.
      else if (attempts.changes === 0 || former?.state !== 'done' || cell.state !== 'unchanged') progress.cells[index] = cell;
      refresh();
    },
    executed(steps) {
      progress.steps.executed += steps;
    },
    noteHostKey(server, fingerprint) {
      if (!fingerprint) return;
      const text = `the key of this host was seen for the first time and is pinned: ${fingerprint}`;
      progress.notes = [...(progress.notes ?? []), { on: server, text }];
      refresh();
    },
    leaveOut(on, why) {
      operation.leftOut.set(on, why);
      progress.skipped = [...(progress.skipped ?? []).filter((one) => one.on !== on), { on, why }];
      const [server = '', taskserv] = on.split('/');
      if (server !== 'network') operation.show({ server, ...(taskserv ? { taskserv } : {}), state: 'skipped', step: why });
    },
    async record(...entries) {
      operation.recordSoon(...entries);
      if (!grant) return;
      const held = grant;
      const changes = unsaid.splice(0);
      const tell = () =>
        request.batch ? tellBatch(operation, held, changes) : entity.signal(changed, { grant: held.grant, changes });
      // What was done is recorded, also when a cancel came while it was done: nobody would find it otherwise.
      await CancellationScope.nonCancellable(tell);
    },
    recordSoon(...entries) {
      for (const entry of entries) operation.inventory = record(operation.inventory, entry);
      unsaid.push(...entries);
    },
    attempt: (at, run) => attempts.attempt(at, run),
    begin() {
      attempts.begin();
      operation.leftOut.clear();
      progress.skipped = undefined;
    },
  };

  const attempts = attemptsOf(operation);

  const undoAll = () =>
    CancellationScope.nonCancellable(async () => {
      progress.left = [...(await undoCompensations(operation)), ...attempts.givenUp.map(unknownOutcome)];
      const remains = ({ server, taskserv }: ServiceState) => operation.inventory.servers[server]?.services[taskserv] !== undefined;
      progress.services = progress.services.filter(remains);
    });

  async function conclude(error: unknown): Promise<void> {
    control.beginStopping();
    const failure = describeFailure(error, { step: 'Run the operation', on: infra });
    const canceled = isCancellation(error) || control.canceled;
    if (!canceled) progress.error = error instanceof GivenUp ? (attempts.firstFailure ?? failure) : failure;
    const chosen = error instanceof OperationStopped ? error.decision : control.chosen;
    const policy = chosen ?? policyOf(request, operation.inventory.definition);
    const undo = policy === 'rollback' && request.intent.verb !== 'rollback' && !request.check;
    const begun = operation.compensations.length > 0;
    if (!undo)
      await control.unlessForced({ step: 'Put back into service', on: infra }, () => undrainAll(operation)).catch(() => {});
    if (undo) await undoAll();
    else progress.left = [...whatIsLeft(operation.compensations, operation.inventory), ...attempts.givenUp.map(unknownOutcome)];
    control.end();
    enter(canceled || failure.code === 'rejected' ? 'canceled' : undo && begun ? 'rolled-back' : 'failed');
  }

  try {
    await scope.run(async () => {
      grant = await admit();
      operation.inventory = inventoryOf(grant, request);
      progress.supersededBy = grant.superseded;
      if (grant.superseded) return;
      enter('running');
      await work(operation);
      await attempts.settled();
      // What nobody was at work on when the cancel came was only left out.
      if (control.canceled) throw new CancelledFailure('the operation was canceled');
    });
    control.end();
    enter(progress.supersededBy ? 'superseded' : progress.error ? 'failed' : 'done');
  } catch (error) {
    await CancellationScope.nonCancellable(() => conclude(error));
  }
  progress.compensations = [...operation.compensations].reverse();
  await CancellationScope.nonCancellable(async () => {
    if (grant && request.batch) await tellBatch(operation, grant, unsaid.splice(0), summaryOf(progress));
    else if (grant) await entity.signal(release, { grant: grant.grant, changes: unsaid.splice(0) }).catch(() => {});
    await condition(allHandlersFinished);
  });
  const { cells: _, waiting: __, question: ___, ...result } = progress;
  // Only a cancel that Temporal knows of can end as one there.
  if (progress.status === 'canceled' && CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('the operation was canceled', [result]);
  if (exitCodeOf(result) !== 0) throw failureWith(result);
  return result;

  async function admit(): Promise<Grant> {
    await readRollback(operation);
    if (request.batch?.grant) return request.batch.grant;
    await noteStart();
    const wish = { ...lockRequestOf(request, operation.rollback?.compensations), submitted: operation.submitted };
    enter('queued', 'waits to be admitted');
    try {
      await entity.signal(acquire, wish);
    } catch (error) {
      if (isCancellation(error)) throw error;
      await operation.activities.askNewInfra({ workspace, infra, request: wish });
    }
    await condition(() => grant !== undefined);
    return grant as Grant;
  }
}
