import { ProvisioningError } from '../../core/errors.js';
import { EXIT, exitCodeOf } from '../../core/exit-codes.js';
import type { OperationResult, Progress } from '../../core/operation/operation.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { operationDocument, writeDocument } from '../render/document.js';
import type { View } from '../render/plain-view.js';
import { reachText } from '../render/reach.js';
import { renderResult, renderWaiting } from '../render/result.js';
import { outputsDocument, outputsText } from '../render/values/outputs.js';
import { viewFor } from '../render/view.js';
import { type DeployedServices, REACH_LINES, reachAfter } from './reach-after.js';
import { type Edit, editsStay, renderEdited, settleEdits } from './versions/edited-files.js';
import { describeWebUi } from './web-ui.js';

/** Reason why following ended. */
export type Outcome =
  | { kind: 'ended'; result: OperationResult }
  | { kind: 'waiting'; progress: Progress }
  /** Ctrl-C: the operation continues. */
  | { kind: 'left'; progress?: Progress };

/** Follows an operation until it ends, waits for a person, or Ctrl-C. */
export async function watch(session: Session, operation: string, view: View): Promise<Outcome> {
  const client = await session.client();
  const leave = new AbortController();
  const release = session.onInterrupt(() => leave.abort());
  let last: Progress | undefined;
  let ended = false;
  try {
    for await (const event of client.operations.follow({ operation }, { signal: leave.signal })) {
      if (leave.signal.aborted) break;
      ended = event.type === 'end';
      if (event.type === 'end') return { kind: 'ended', result: event.result };
      last = event.progress;
      view.update(last);
      if (event.type === 'waiting') return { kind: 'waiting', progress: last };
    }
  } catch (error) {
    if (!leave.signal.aborted) throw error;
  } finally {
    release();
    view.end(!ended);
  }
  return leave.signal.aborted
    ? { kind: 'left', progress: last }
    : { kind: 'ended', result: await client.operations.result({ operation }) };
}

/**
 * Follows an operation and shows its progress and its end. On a terminal, questions of the operation are asked
 * immediately.
 *
 * @param started start time in milliseconds since 1970; absent: the duration is unknown.
 * @param edits files that were written for it.
 * @param deploys whether to show how to reach the deployed services at the end
 * @returns the exit code
 */
export async function follow(
  session: Session,
  operation: string,
  { started, deploys = false, edits }: { started?: number; deploys?: boolean; edits?: readonly Edit[] } = {},
): Promise<number> {
  for (;;) {
    const outcome = await watch(session, operation, viewFor(session));
    if (outcome.kind === 'ended') {
      const deployed = deploys ? await reachAfter(session, outcome.result) : undefined;
      return showEnd(session, outcome.result, { started, deployed, edits });
    }
    if (outcome.kind === 'left') return showLeft(session, operation, outcome.progress, edits);
    if (!session.interactive) return showWaiting(session, outcome.progress, edits);
    renderWaiting(outcome.progress, session.out, { ui: describeWebUi(session.home, operation) });
    if (outcome.progress.question === 'approval') {
      const verdict = await session.choose('What now?', [
        { value: 'approve', label: 'Approve it' },
        { value: 'reject', label: 'Reject it: nothing is changed' },
      ]);
      if (verdict === undefined) return EXIT.interrupted;
      const { planHash: plan } = outcome.progress;
      const approved = verdict === 'approve';
      // Another person may have answered, so that it waits with another plan. That plan is shown next.
      await (await session.client()).operations.approve({ operation, approved, plan }).catch(unlessPlanChanged);
      continue;
    }
    if (outcome.progress.question === 'cancel') {
      const answer = await session.choose('What now?', [
        { value: 'resume', label: 'Go on' },
        { value: 'rollback', label: 'Roll back what was done' },
        { value: 'keep', label: 'Stop here and keep what was done' },
      ]);
      if (answer === undefined) return EXIT.interrupted;
      const client = await session.client();
      if (answer === 'resume') await client.operations.resume({ operation });
      else await client.operations.decide({ operation, decision: answer });
      continue;
    }
    const decision = await session.choose('What now?', [
      { value: 'retry', label: 'Try the failed step again' },
      ...(outcome.progress.question === 'undo'
        ? ([
            { value: 'skip', label: 'Leave it, and roll back the rest' },
            { value: 'keep', label: 'Stop here and keep the rest' },
          ] as const)
        : ([
            { value: 'skip', label: 'Go on without it' },
            { value: 'rollback', label: 'Roll back what was done' },
            { value: 'keep', label: 'Stop here and keep what was done' },
          ] as const)),
    ]);
    if (decision === undefined) return EXIT.interrupted;
    await (await session.client()).operations.decide({ operation, decision });
  }
}

function unlessPlanChanged(error: unknown): void {
  if (!(error instanceof ProvisioningError && error.details.code === 'plan-changed')) throw error;
}

interface End {
  started: number | undefined;
  deployed: DeployedServices | undefined;
  edits: readonly Edit[] | undefined;
}

async function showEnd(session: Session, result: OperationResult, { started, deployed, edits }: End): Promise<number> {
  const files = edits && (await settleEdits(edits, result));
  if (session.json) {
    const outputs = deployed && deployed.outputs.length > 0 ? { outputs: outputsDocument(deployed.outputs) } : {};
    writeDocument(session, {
      ...operationDocument(result),
      ...(deployed ? { reach: deployed.reach } : {}),
      ...outputs,
      ...(files && { files }),
    });
  } else {
    renderResult(result, session.out, {
      ui: describeWebUi(session.home, result.operation),
      ...(started !== undefined && { elapsedMs: Date.now() - started }),
    });
    const paint = paintFor(session.out);
    if (deployed)
      session.out.write(
        reachText(deployed.reach, result.infra, paint, REACH_LINES) + outputsText(deployed.outputs, result.infra, paint),
      );
    if (files) session.out.write(renderEdited(files, result.status === 'done'));
  }
  return exitCodeOf(result);
}

function showWaiting(session: Session, progress: Progress, edits: readonly Edit[] = []): number {
  if (session.json) writeDocument(session, operationDocument(progress));
  else renderWaiting(progress, session.out, { ui: describeWebUi(session.home, progress.operation) });
  session.err.write(editsStay(edits));
  return exitCodeOf({ status: 'waiting' });
}

function showLeft(session: Session, operation: string, progress?: Progress, edits: readonly Edit[] = []): number {
  if (session.json) writeDocument(session, progress ? operationDocument(progress) : { operation, status: 'running' });
  session.err.write(`\nThe operation goes on. Follow it: provisioning workflow follow ${operation}\n${editsStay(edits)}`);
  return EXIT.interrupted;
}
