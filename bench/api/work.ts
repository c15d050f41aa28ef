import { demoDefinition } from '../../test/support/definition.js';
import type { TestEngine } from '../../test/support/engine.js';
import { requestOf } from '../../test/support/operations.js';
import { type CpuSeconds, cpuOf, secondsOf } from '../batch/cpu.js';
import { countErrors, type Load, type LoadProcess, type LoadRequest, type LoadResult, NUMBER, percentile } from './load.js';

/** The processor time of all that answers a request, in seconds. */
export interface Spent extends CpuSeconds {
  api: number;
}

/** What an API server, the worker and Temporal computed during work. */
export async function measureSpent<T>(
  engine: TestEngine,
  pid: number,
  work: () => Promise<T>,
): Promise<{ result: T; spent: Spent }> {
  const read = async () => ({ ...(await cpuOf(engine)), api: await secondsOf(pid) });
  const from = await read();
  const result = await work();
  const to = await read();
  return { result, spent: { api: to.api - from.api, worker: to.worker - from.worker, server: to.server - from.server } };
}

/** A request that starts an operation, or the preview of one, each on an infra of its own: one server with one service. */
export function requestWork(kind: 'preview' | 'operation'): LoadRequest {
  const infra = `${kind}-${NUMBER}`;
  const definition = demoDefinition(infra, { servers: [{ name: 'web' }], taskservs: [{ name: 'nginx', on: 'all' }] });
  const { actor: _, ...request } = requestOf({ infra, definition, id: `cluster-ensure-${kind}-${NUMBER}` });
  return {
    ...{ kind, verb: 'POST', body: JSON.stringify({ request }) },
    path: kind === 'preview' ? '/v1/plans' : '/v1/operations',
    follow: kind === 'preview' ? '/v1/plans/{operation}' : '/v1/operations/{operation}/result',
  };
}

/** What became of one rate. */
export interface RateStep {
  rate: number;
  sent: number;
  errors: Record<string, number>;
  /** Milliseconds from the time at which a request was due to its answer, and to the end of what it started: medians. */
  answered: number;
  ended: number;
  /** Whether what was started ended about as soon as it did at the lowest rate: no queue grew. */
  keepsUp: boolean;
  /** For each request. */
  spent: Spent;
}

export interface RateOptions {
  /** Requests a second of the first step. */
  from: number;
  /** Of each step. */
  seconds: number;
  /** At most. */
  steps: number;
}

/** A step's rate is that of the step before, times this. */
const FASTER = 1.5;
/** A queue of so much of a step's time grows no further. */
const MAY_LAG = 0.1;

/** Raises the rate until something fails, or what is started takes longer than it comes. */
export async function raiseRate(
  engine: TestEngine,
  pid: number,
  { sender, at, request }: { sender: LoadProcess; at: Omit<Load, 'rate' | 'requests'>; request: LoadRequest },
  { from, seconds, steps }: RateOptions,
): Promise<RateStep[]> {
  const done: RateStep[] = [];
  let unhurried: number | undefined;
  for (let rate = from; done.length < steps; rate *= FASTER) {
    const count = Math.max(1, Math.round(rate * seconds));
    const requests = Array.from({ length: count }, () => request);
    const { result, spent } = await measureSpent(engine, pid, () => sender.send({ ...at, rate, requests }));
    const ends = valuesOf(result, 'ends');
    unhurried ??= percentile(ends, 1);
    const keepsUp = result.drained <= unhurried * 1.5 + seconds * 1_000 * MAY_LAG;
    done.push({
      ...{ rate, sent: count, errors: result.errors, keepsUp },
      answered: percentile(valuesOf(result, 'times'), 0.5),
      ended: percentile(ends, 0.5),
      spent: { api: spent.api / count, worker: spent.worker / count, server: spent.server / count },
    });
    if (countErrors(result) > 0 || !keepsUp) break;
  }
  return done;
}

const valuesOf = (result: LoadResult, which: 'times' | 'ends'): number[] => Object.values(result[which]).flat();
