import { keepModules, keepSource } from '../../authoring/bundle/keep-bundle.js';
import { buildRequest, type Wish as Wanted } from '../../authoring/request/requests.js';
import { type Reachable, reachableOf } from '../../core/definition/reachable.js';
import { inputError } from '../../core/errors.js';
import { EXIT, exitCodeOf } from '../../core/exit-codes.js';
import type { CostPreview } from '../../core/machine/cost-preview.js';
import type { ApprovalPoint } from '../../core/operation/control.js';
import { createQueuedProgress, type OperationRequest, type OperationResult } from '../../core/operation/operation.js';
import { listDestroyed } from '../../core/plan/destroyed.js';
import { type PinnedPlan, planHash, planLineOf } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import type { FlagsOf, OPERATION, PLAN_OUT, UPDATE } from '../command.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { costChanges } from '../render/costs.js';
import { operationDocument, previewDocument, writeDocument } from '../render/document.js';
import { harmText, renderPreview } from '../render/preview.js';
import { reachableTable } from '../render/reachable.js';
import { renderResult } from '../render/result.js';
import { renderResolved } from '../render/values/resolved.js';
import { chooseAllowed, refuseUnnamed } from './allowed.js';
import { reportDeclined } from './declined.js';
import { follow, type Outcome, watch } from './follow.js';
import { quotaLines, readQuotaUses } from './limits/quota-lines.js';
import { needsYes } from './needs-yes.js';
import { operationSettings } from './settings/operation-settings.js';
import { applyEdits, type Edit, editsDocument, editsStay, editsText, filterShown } from './versions/edited-files.js';
import { describeWebUi } from './web-ui.js';

/** Request of a command. */
export interface Wish extends Wanted {
  /** The user named what will be destroyed, so that `--yes` covers it: everything, or only on these servers. */
  destroysByName?: boolean | readonly string[];
  /** The operation destroys nothing and needs no confirmation. */
  harmless?: boolean;
  /** Points at which it waits for an approval, unless the command line names them. */
  approve?: ApprovalPoint[];
  /** File of the definition. */
  file?: string;
  /**
   * Edits of definition files that belong to the operation. They are shown and confirmed with the steps, and restored
   * with them.
   */
  edits?: readonly Edit[];
  /** The exact plan to run. There is no other preview before the confirmation. */
  plan?: { planned: PinnedPlan; steps: PlannedStep[] };
}

/** Options of an operation from the command line. */
type Flags = FlagsOf<typeof OPERATION> & FlagsOf<[typeof PLAN_OUT]> & FlagsOf<typeof UPDATE>;

/** Options of an operation from settings. */
type Settled = Pick<OperationRequest, 'timing' | 'settings'>;

/** Answer to a preview. `hash` is the hash of the shown plan. */
type Consent = { go: true; hash?: string; with?: Pick<OperationRequest, 'allowDestroy'> } | { go: false; exitCode: number };

/**
 * Runs an operation. `--check` only shows it, and `--plan-out` saves the plan. Without `--yes`, shows the steps, asks
 * for confirmation, and runs exactly these steps or nothing.
 *
 * @returns the exit code
 * @throws an input error if a confirmation is needed and the session is not interactive
 */
export async function operate(session: Session, flags: Flags, wish: Wish): Promise<number> {
  // A saved plan determines its own options, which were shown.
  const how: Flags & Settled = wish.plan ? flags : { ...flags, ...(await operationSettings(session, flags, wish.infra)) };
  const request = requestWith(session, how, wish);
  const looks = flags.check === true || flags.planOut !== undefined;
  if (flags.detailedExitcode && !looks) throw detailedAlone();
  const asks = !flags.yes && !wish.harmless;
  if (flags.planOut !== undefined) await (await import('./plan-file.js')).checkPlanOut(flags.planOut, flags.yes);
  if (!looks && asks) needsYes(session, `run ${request.kind} ${request.intent.verb}`, wish.infra, '--check to only look');
  const { keepCredentials, keepEnvironmentSecrets } = await import('../../authoring/secrets/keep-environment.js');
  if (wish.definition) await keepEnvironmentSecrets(session, wish.definition);
  else await keepCredentials(session);
  if (looks) return check(session, request, how, wish);
  const consent: Consent = asks ? await ask(session, request, how, wish) : { go: true };
  if (!consent.go) return consent.exitCode;
  const edits = wish.edits?.length ? wish.edits : undefined;
  if (edits && !asks && !session.json) session.out.write(editsText(edits, paintFor(session.out)));
  return start(session, how, { ...request, ...consent.with }, { hash: consent.hash ?? request.planned?.hash, edits });
}

/** Builds the request with the options of the command line. */
function requestWith(session: Session, flags: Flags & Settled, wish: Wish): OperationRequest {
  const { onFailure, onTimeout, priority, timing, settings } = flags;
  const request = buildRequest(session, wish, {
    onFailure,
    onTimeout,
    priority,
    timing,
    settings,
    ...updateOf(flags),
    approve: flags.approve ? [flags.approve] : wish.approve,
    ...chooseAllowed(flags, wish.destroysByName),
  });
  return wish.plan ? { ...request, planned: wish.plan.planned } : request;
}

/** Returns the update strategy from the command line, if any. */
export function updateOf({
  strategy,
  batchSize,
  maxUnavailable,
  pauseOnFailure,
}: FlagsOf<typeof UPDATE>): Pick<OperationRequest, 'update'> {
  const said = Object.entries({ strategy, batch: batchSize, maxUnavailable, pauseOnFailure }).filter(
    ([, value]) => value !== undefined,
  );
  return said.length > 0 ? { update: Object.fromEntries(said) } : {};
}

/** Properties of a started operation: the hash of its required plan, and the files that change with it. */
interface Begun {
  hash?: string | undefined;
  edits?: readonly Edit[] | undefined;
}

async function start(session: Session, flags: Flags, request: OperationRequest, { hash, edits }: Begun): Promise<number> {
  const started = Date.now();
  const client = await session.client();
  const source = request.definition && (await keepSource(client, request.definition, session.note));
  const given = { request: { ...request, ...source }, ...(flags.queue ? { queue: true } : {}) };
  const submitted = () => (hash === undefined ? client.operations.submit(given) : client.plans.apply({ ...given, hash }));
  const { operation, queued: waits } = await (edits ? applyEdits(edits, submitted) : submitted());
  if (waits) return showQueued(session, request, edits);
  if (flags.wait !== false) session.begun({ operation });
  const deploys = request.kind === 'cluster' && request.intent.verb === 'ensure';
  if (flags.wait !== false) return follow(session, operation, { started, deploys, edits });
  const ui = describeWebUi(session.home, operation);
  if (session.json) {
    writeDocument(session, { ...createQueuedProgress(request), operation, ...(edits && { files: editsDocument(edits) }) });
  } else {
    session.out.write(
      `started: ${operation}\nfollow it: provisioning workflow follow ${operation}\n${ui ? `Web UI: ${ui}\n` : ''}`,
    );
    if (edits) session.out.write(editsStay(edits));
  }
  return 0;
}

/** Reports that the request is queued for a worker. Without a worker its progress cannot be queried. */
function showQueued(session: Session, request: OperationRequest, edits?: readonly Edit[]): number {
  const { id } = request;
  if (edits && !session.json) session.out.write(editsStay(edits));
  if (session.json) writeDocument(session, { ...createQueuedProgress(request), waiting: 'no worker runs' });
  else
    session.out.write(
      `queued as ${id}: no worker runs, and the next one begins it\nstart one: provisioning up\nwithdraw it: provisioning workflow cancel ${id}\n`,
    );
  return 0;
}

/** Runs the operation only up to its plan. */
async function look(session: Session, request: OperationRequest, { diff }: Pick<Flags, 'diff'>): Promise<Outcome> {
  const client = await session.client();
  if (request.definition) await keepModules(client, request.definition, session.note);
  const { operation } = await client.plans.preview({ request: { ...request, ...(diff && { diff }) } });
  const note = session.interactive ? 'looking …' : '';
  if (note) session.out.write(note);
  const outcome = await watch(session, operation, { update: () => {}, end: () => {} });
  if (note) session.out.control('\r\u001b[K');
  return outcome;
}

async function check(session: Session, request: OperationRequest, flags: Flags, { file: from, edits }: Wish): Promise<number> {
  const outcome = await look(session, request, flags);
  if (outcome.kind !== 'ended') return stopped(session, outcome);
  const { result } = outcome;
  const cost = await costOf(session, request, result);
  const quota = await readQuotaUses(session, result);
  const reachable = request.definition && reachableOf(request.definition);
  const saved = result.status === 'done' ? await save(session, flags, request, result, from) : undefined;
  if (session.json) {
    const resolved = request.definition?.resolved;
    const more = {
      ...saved?.document,
      ...(cost ? { cost } : {}),
      ...(quota ? { quota } : {}),
      ...(reachable ? { reachable } : {}),
      ...(resolved ? { resolved } : {}),
      ...(edits && filterShown(edits).length > 0 ? { files: editsDocument(filterShown(edits)) } : {}),
    };
    writeDocument(session, { ...previewDocument(result), ...more });
  } else {
    show(session, request, result, cost, reachable);
    if (quota) session.out.write(quotaLines(quota, paintFor(session.out)));
    if (edits) session.out.write(editsText(edits, paintFor(session.out)));
    if (saved) session.out.write(saved.text);
  }
  const hasChanges = result.status === 'done' && (result.plan.length > 0 || (edits !== undefined && filterShown(edits).length > 0));
  return flags.detailedExitcode && hasChanges ? EXIT.changes : exitCodeOf(result);
}

const detailedAlone = () =>
  inputError({
    code: 'bad-arguments',
    what: 'read the command line',
    on: '--detailed-exitcode',
    why: 'only a preview can report whether there are changes',
    hint: 'add --check or --plan-out FILE',
  });

/** Saves the shown plan if the command line asks for it. */
async function save(session: Session, { planOut }: Flags, request: OperationRequest, result: OperationResult, from?: string) {
  if (planOut === undefined) return undefined;
  const { describeSavedPlan, savePlan } = await import('./plan-file.js');
  const document = await savePlan(session, planOut, request, result, from);
  return { document, text: describeSavedPlan(document) };
}

/** Returns the change in cost. Queries prices only if machines change. */
async function costOf(
  session: Session,
  { definition }: OperationRequest,
  result: OperationResult,
): Promise<CostPreview | undefined> {
  if (result.plan.every(({ taskserv }) => taskserv !== undefined)) return undefined;
  const { costPreview } = await import('../../authoring/catalog/costs.js');
  return costPreview(session, result, definition);
}

function show(
  session: Session,
  { definition }: OperationRequest,
  result: OperationResult,
  cost?: CostPreview,
  reachable?: Reachable,
): void {
  if (result.status === 'done') {
    session.out.write(renderResolved(definition?.resolved, paintFor(session.out)));
    renderPreview(result, session.out);
    if (reachable && result.plan.length > 0) session.out.write(reachableTable(reachable, paintFor(session.out)));
    if (cost) session.out.write(costChanges(cost, paintFor(session.out)));
  } else renderResult(result, session.out, { ui: describeWebUi(session.home, result.operation) });
}

function stopped(session: Session, outcome: Exclude<Outcome, { kind: 'ended' }>): number {
  if (session.json) writeDocument(session, outcome.progress ? operationDocument(outcome.progress) : { status: 'running' });
  session.err.write('stopped looking; nothing was changed\n');
  return outcome.kind === 'waiting' ? EXIT.waits : EXIT.interrupted;
}

/** Shows the preview and asks for confirmation. Destruction that was not named needs a second confirmation. */
async function ask(session: Session, request: OperationRequest, flags: Flags, { plan, edits = [] }: Wish): Promise<Consent> {
  const given = plan?.steps;
  const outcome = given ? planOf(request, given) : await look(session, request, flags);
  if (outcome.kind !== 'ended') return { go: false, exitCode: stopped(session, outcome) };
  const { result } = outcome;
  const reachable = request.definition && reachableOf(request.definition);
  show(session, request, result, await costOf(session, request, result), reachable);
  if (result.status !== 'done') return { go: false, exitCode: exitCodeOf(result) };
  const hash = request.planned?.hash ?? planHash(result.plan.map(planLineOf));
  if (result.plan.length === 0 && filterShown(edits).length === 0) return { go: true };
  session.out.write(editsText(edits, paintFor(session.out)));
  const harm = listDestroyed(result.plan);
  const { allowDestroy } = request;
  if (Array.isArray(allowDestroy)) refuseUnnamed(result.plan, allowDestroy);
  let yes = await session.confirm(questionOf(result, request.infra, filterShown(edits)));
  if (yes && harm.length > 0 && allowDestroy === undefined) {
    const isLeft = result.plan.some(({ destructive, data }) => destructive && data);
    yes = await session.confirm(`This ${harmText(result.plan)}${isLeft ? '' : ' with the data on it'}. Really?`);
    if (yes) return { go: true, hash, with: { allowDestroy: harm } };
  }
  if (yes) return { go: true, hash };
  return { go: false, exitCode: reportDeclined(session) };
}

function questionOf({ plan }: OperationResult, infra: string, edits: readonly Edit[]): string {
  const files = edits.map(({ file }) => file).join(' and ');
  if (plan.length === 0) return `Write ${files}?`;
  const steps = plan.length === 1 ? 'this step' : `these ${plan.length} steps`;
  return `Run ${steps} on ${infra}${files ? `, and write ${files}` : ''}?`;
}

/** Returns the preview from which a saved plan was made. */
const planOf = (request: OperationRequest, plan: PlannedStep[]): Outcome => ({
  kind: 'ended',
  result: { ...createQueuedProgress(request), status: 'done', plan },
});

/** Starts an earlier request again, with a new id. */
export async function repeat(session: Session, flags: Flags, { definition, ...before }: OperationRequest): Promise<number> {
  const { kind, infra, intent, allowDestroy, onFailure, onTimeout, priority, update, approve } = before;
  const { batch: batchSize, ...said } = update ?? {};
  const again: Flags = {
    ...said,
    batchSize,
    ...flags,
    onFailure: flags.onFailure ?? onFailure,
    onTimeout: flags.onTimeout ?? onTimeout,
    priority: flags.priority ?? priority,
    check: flags.check ?? before.check,
  };
  return operate(session, again, { kind, infra, intent, definition, approve, destroysByName: allowDestroy === true });
}
