import { addAbortListener } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoFailure } from '../config.js';
import { comeAgain, createLostAnswer, simulateFailure } from '../errors.js';
import type { DemoState } from './state.js';
import type { Change, DemoStore } from './store.js';

export interface Call {
  /** `servers.create`. */
  verb: string;
  name: string;
  signal?: AbortSignal;
}

/** Performs a call without effect: latency, limits and failures, then the answer. */
export async function ask<T>(store: DemoStore, call: Call, answer: (state: DemoState) => T): Promise<T> {
  const failure = await arrive(store, call);
  const value = answer(await store.read());
  if (failure) await loseAnswer(failure, call);
  return value;
}

/** Performs a call with an effect. The effect is atomic, even if the answer is lost. */
export async function effect<T>(store: DemoStore, call: Call, change: Change<T>): Promise<T> {
  const failure = await arrive(store, call);
  const value = await store.edit(change);
  if (failure) await loseAnswer(failure, call);
  return value;
}

/** Simulates the request: throws a failure before the effect, and returns a failure after the effect. */
async function arrive(store: DemoStore, call: Call): Promise<DemoFailure | undefined> {
  call.signal?.throwIfAborted();
  const failure = await admit(store, call);
  await sleep(latencyOf(await store.read(), call), undefined, { signal: call.signal });
  const told = failure && simulateFailure(failure, call);
  if (told) throw told;
  if (failure?.error === 'crash') process.kill(process.pid, 'SIGKILL');
  if (failure?.error === 'hang') await forever(call.signal);
  return failure;
}

/** Counts the call and takes its failure. Writes the file only if there is something to count. */
async function admit(store: DemoStore, call: Call): Promise<DemoFailure | undefined> {
  const { settings, notBefore = {} } = await store.read();
  const counted = settings.recordCalls || settings.limits.callsPerSecond !== undefined || notBefore[idOf(call)] !== undefined;
  if (!counted && !settings.failures.some((one) => meant(one, call))) return undefined;
  const { waitMs, why, failure } = await store.edit((state, touch) => {
    touch('account');
    const answer = answerTo(state, call);
    const { verb, name } = call;
    if (state.settings.recordCalls)
      state.calls = [...(state.calls ?? []), { verb, name, at: Date.now(), ...(answer.waitMs ? { waitMs: answer.waitMs } : {}) }];
    return answer;
  });
  if (waitMs) throw comeAgain(call, why ?? '', waitMs);
  return failure;
}

/** Decides whether the account accepts a call now, or after how many milliseconds, and with which failure. */
function answerTo(state: DemoState, call: Call): { waitMs?: number; why?: string; failure?: DemoFailure } {
  const full = countCall(state);
  if (full > 0) return { waitMs: full, why: `more than ${state.settings.limits.callsPerSecond} calls in a second` };
  const why = 'the demo account simulates a rate limit';
  const wait = tooEarly(state, call);
  if (wait > 0) return { waitMs: wait, why };
  const failure = state.settings.failures.find((one) => meant(one, call));
  if (failure && --failure.times === 0) state.settings.failures.splice(state.settings.failures.indexOf(failure), 1);
  if (failure?.error !== 'rate-limited') return { failure };
  state.notBefore = { ...state.notBefore, [idOf(call)]: Date.now() + failure.retryAfterMs };
  return { waitMs: failure.retryAfterMs, why };
}

/** Returns the remaining wait of a postponed call, in milliseconds. An early call is counted. */
function tooEarly(state: DemoState, call: Call): number {
  const id = idOf(call);
  const wait = (state.notBefore?.[id] ?? 0) - Date.now();
  if (wait > 0) state.early = [...(state.early ?? []), id];
  else delete state.notBefore?.[id];
  return wait;
}

const idOf = ({ verb, name }: Call) => `${verb} ${name}`;

const meant = (failure: DemoFailure, { verb, name }: Call) => failure.verb === verb && (failure.name ?? name) === name;

/** Counts a call, and returns its wait due to the rate limit, in milliseconds. */
function countCall(state: DemoState): number {
  const limit = state.settings.limits.callsPerSecond;
  if (limit === undefined) return 0;
  const now = Date.now();
  const window = now - state.window.since < 1_000 ? state.window : { since: now, calls: 0 };
  if (window.calls >= limit) return window.since + 1_000 - now;
  state.window = { since: window.since, calls: window.calls + 1 };
  return 0;
}

function latencyOf({ settings: { latencyMs } }: DemoState, { verb, name }: Call): number {
  return latencyMs[`${verb}:${name}`] ?? latencyMs[verb] ?? latencyMs['*'] ?? 0;
}

/** Simulates the loss of an answer after the effect. */
async function loseAnswer({ error }: DemoFailure, call: Call): Promise<never> {
  if (error === 'silence') await forever(call.signal);
  throw createLostAnswer(call);
}

function forever(signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal) addAbortListener(signal, () => reject(signal.reason));
  });
}
