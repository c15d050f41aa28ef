import { demoDefinition } from '../../test/support/definition.js';
import type { TestEngine } from '../../test/support/engine.js';
import { requestOf } from '../../test/support/operations.js';
import { type CpuSeconds, cpuOf, secondsOf } from '../batch/cpu.js';
import { countErrors, type Load, type LoadProcess, type LoadRequest, type LoadResult, NUMBER, percentile } from './load.js';

/** The processor time of all processes that answer a request, in seconds. */
export interface Spent extends CpuSeconds {
  api: number;
}

/** Measures the processor time of an API server, the worker and Temporal during work. */
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

/**
 * Creates a request that starts an operation, or its preview. Each has an infra of its own: one server with one
 * service.
 */
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

/** Result of one rate. */
export interface RateStep {
  rate: number;
  sent: number;
  errors: Record<string, number>;
  /** Medians in milliseconds, from the due time of a request to its answer, and to the end of the started work. */
  answered: number;
  ended: number;
  /** Whether the work ended about as soon as at the lowest rate: no queue grew. */
  keepsUp: boolean;
  /** For each request. */
  spent: Spent;
}

export interface RateOptions {
  /** Requests a second of the first step. */
  from: number;
  /** Duration of each step. */
  seconds: number;
  /** At most. */
  steps: number;
}

/** Ratio of the rates of two consecutive steps. */
const FASTER = 1.5;
/** Part of a step's time up to which a queue counts as stable. */
const MAY_LAG = 0.1;

/** Raises the rate until something fails, or the queue of started work grows. */
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
