import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { plain, rawTemporal } from '../support/raw-temporal.js';
import { haveDone, whenFree } from './activities.js';
import type { Aim, Outcome } from './aim.js';
import type { Attack } from './attacks.js';
import { OTHER, PLAIN, type Receiver, SAME } from './forged.js';
import { type Recording, recordings } from './recorded.js';

/** Failure type of workflows and activities that reject a message of this kind. */
const REFUSED = 'refused';
/** Maximum time until an effect shows, in milliseconds. */
const SETTLED_MS = 15_000;
/** Encodings that only keys of the home can decrypt. */
const SEALED = ['binary/encrypted', 'binary/stored-encrypted'];
/** Maximum number of replayed messages. */
const AGAIN = 12;

const WORST_FIRST: readonly Outcome[] = ['through', 'sealed answer', 'taken', 'refused'];

export type Raw = ReturnType<typeof rawTemporal>;

/** Performs an attack with Temporal's own interface only. */
export async function strike(temporal: Client, taskQueue: string, attack: Attack, aim: Aim): Promise<Outcome> {
  const raw = rawTemporal({ temporal, taskQueue });
  if (attack.kind === 'start') return start(raw, temporal, taskQueue, attack, aim);
  if (attack.kind === 'activity') return haveDone(temporal, taskQueue, attack, aim);
  const outcomes: Outcome[] = [];
  const library = await recordings(temporal, taskQueue);
  for (const to of attack.to) outcomes.push(await tell(raw, library, attack, to, aim));
  return WORST_FIRST.find((one) => outcomes.includes(one)) ?? 'nothing recorded';
}

async function start(
  raw: Raw,
  temporal: Client,
  taskQueue: string,
  { what, way, tries }: Attack,
  { scene, target, mark }: Aim,
): Promise<Outcome> {
  const { ended } = scene;
  const of = (await recordings(temporal, taskQueue)).filter((one) => one.type === what && one.ended);
  const recorded = of.find(({ workflowId }) => workflowId === ended[what]) ?? of[0];
  if (way !== PLAIN && !recorded) return 'nothing recorded';
  const infra = `${target.infra}-${mark}`;
  const fresh = what === 'infra' ? `infra/default/${infra}` : `${what}-ensure-${infra}-${mark}`;
  const id = way === SAME && recorded ? recorded.workflowId : fresh;
  const [[request] = []] = tries;
  const input = { id, workspace: 'default', infra, actor: 'stranger', ...(request as object) };
  const payloads = recorded && way !== PLAIN ? recorded.start : [plain(what === 'infra' ? { workspace: 'default', infra } : input)];
  const runId = await whenFree(() => raw.start(what, id, payloads));
  if (what === 'infra') {
    const wish = { operation: target.other, kind: 'cluster', resources: ['*'], actor: 'stranger', needs: {} };
    await raw.signal(id, 'acquire', [plain(wish)]).catch(() => {});
  }
  return did(raw, id, runId);
}

/** Checks whether a run got an answer from an activity, sent a signal, or ended well. */
async function did(raw: Raw, workflowId: string, runId: string): Promise<Outcome> {
  for (const until = Date.now() + SETTLED_MS; ; await sleep(100)) {
    const events = await raw.history(workflowId, runId);
    for (const event of events) {
      const marker = event.markerRecordedEventAttributes;
      const near = marker?.markerName === 'core_local_activity' && !marker.failure;
      const failure = event.activityTaskFailedEventAttributes?.failure;
      const far = event.activityTaskCompletedEventAttributes || (failure && failure.applicationFailureInfo?.type !== REFUSED);
      if (near || far || event.signalExternalWorkflowExecutionInitiatedEventAttributes) return 'through';
      if (event.workflowExecutionCompletedEventAttributes || event.workflowExecutionContinuedAsNewEventAttributes) return 'through';
    }
    if (events.at(-1)?.workflowExecutionFailedEventAttributes) return 'refused';
    // A run that neither fails nor ends was not rejected.
    if (Date.now() > until) return 'through';
  }
}

async function tell(
  raw: Raw,
  library: readonly Recording[],
  attack: Attack,
  to: Receiver,
  { scene, target }: Aim,
): Promise<Outcome> {
  const { kind, what, way, tries } = attack;
  const id = target[to];
  const said: Payload[][] = way === PLAIN ? tries.map((args) => args.map(plain)) : [];
  if (way === SAME) said.push(...fitting(attack, [{ start: await raw.startedWith(id), received: await raw.received(id) }]));
  if (way === OTHER)
    said.push(
      ...fitting(
        attack,
        library.filter(({ workflowId }) => scene.donors[to].includes(workflowId)),
      ),
    );
  if (said.length === 0) return 'nothing recorded';
  if (kind === 'query') {
    const answers = [];
    for (const payloads of said) answers.push(await raw.answer(id, what, payloads));
    if (answers.every((encoding) => encoding === undefined)) return 'refused';
    return answers.every((encoding) => encoding === undefined || SEALED.includes(encoding)) ? 'sealed answer' : 'through';
  }
  if (kind === 'update') {
    // A handler that rejects for its own reasons was reached.
    for (const payloads of said) if ((await raw.update(id, what, payloads).catch(String)) !== REFUSED) return 'through';
    return 'refused';
  }
  for (const payloads of said) await raw.signal(id, what, payloads);
  await processed(raw, id);
  return 'taken';
}

/** Returns recordings of this message. Without any, returns recordings of other messages to the same workflows. */
function fitting({ kind, what }: Attack, from: Pick<Recording, 'start' | 'received'>[]): Payload[][] {
  const received = from.flatMap((one) => one.received);
  const same = received.filter((one) => one.kind === kind && one.name === what);
  const others = [...received.map(({ payloads }) => payloads), ...from.map(({ start }) => start)];
  const chosen = same.length > 0 ? same.map(({ payloads }) => payloads) : others;
  return chosen.filter((one) => one.length > 0).slice(0, AGAIN);
}

/** Waits until the workflow has processed its messages. */
async function processed(raw: Raw, workflowId: string): Promise<void> {
  const before = await raw.history(workflowId);
  const last = before.findLastIndex((event) => event.workflowExecutionSignaledEventAttributes);
  for (const until = Date.now() + SETTLED_MS; Date.now() < until; await sleep(50)) {
    const events = await raw.history(workflowId);
    // A message that the workflow cannot process stops it.
    const turns = events
      .slice(last)
      .filter((event) => event.workflowTaskCompletedEventAttributes ?? event.workflowTaskFailedEventAttributes);
    if (turns.length > 0) return;
    // The run ended or began again.
    if (events.length < before.length) return;
  }
}
