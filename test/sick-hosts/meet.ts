import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/measure.js';
import { demoDefinition } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { runWell } from '../support/operations.js';
import type { Sickness } from '../support/sick-server.js';
import { play, type Seen, type Situation, situations } from './situations.js';
import { type Held, watchWorker } from './worker-watch.js';

/** Promised limits. */
export const LIMITS = { errorSeconds: 60, latencyRatio: 2, socketsMore: 8, rssMoreMiB: 200 };

export interface Met {
  seen: Seen[];
  /** Median duration in milliseconds of an operation on a healthy infra that finds nothing to do. */
  usualMs: number;
  besideMs: number;
  before: Held;
  most: Held;
  after: Held;
  minutes: number;
  faults: string[];
}

/** Measures an operation that finds nothing to do, one run after the other, until `until` returns true. */
async function latencies(engine: TestEngine, until: (count: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  const definition = demoDefinition('healthy', { servers: [{ name: 'web' }] });
  while (!until(times.length)) {
    const began = performance.now();
    await runWell(engine, { infra: 'healthy', definition });
    times.push(performance.now() - began);
    await sleep(200);
  }
  return times;
}

/** @param waves sicknesses that run at the same time, in every situation */
export async function meet(
  engine: TestEngine,
  waves: Sickness[][],
  say: (text: string) => void,
  which: readonly Situation[] = situations,
): Promise<Met> {
  const began = Date.now();
  await latencies(engine, (count) => count === 5);
  const usual = await latencies(engine, (count) => count === 20);
  const worker = await watchWorker(engine);
  const before = await worker.held();
  const over = new AbortController();
  const most = worker.most(over.signal);
  const beside = latencies(engine, () => over.signal.aborted);
  const seen: Seen[] = [];
  for (const wave of waves) {
    const plays = wave.flatMap((sickness) => which.map((situation) => play(engine, situation, sickness)));
    for (const played of plays) {
      void played.then(({ situation, sickness, seconds, error }) =>
        say(`${situation} × ${sickness}: ${seconds.toFixed(1)} s: ${error.replace(/\s*\n\s*/g, ' ').slice(0, 200)}`),
      );
    }
    seen.push(...(await Promise.all(plays)));
  }
  over.abort();
  const besideMs = median(await beside);
  // Destroyed sockets disappear a moment later.
  await sleep(2_000);
  const alive = await worker.alive();
  const met = { seen, usualMs: median(usual), besideMs, before, most: await most, after: before };
  if (alive) met.after = await worker.held();
  const faults = alive ? faultsOf(met) : ['the worker is another one than at the beginning'];
  return { ...met, minutes: (Date.now() - began) / 60_000, faults };
}

function faultsOf({ seen, usualMs, besideMs, before, most, after }: Omit<Met, 'faults' | 'minutes'>): string[] {
  const faults: string[] = [];
  for (const { situation, sickness, seconds, named, error } of seen) {
    if (!named) faults.push(`${situation} × ${sickness}: the error does not name the host: ${error}`);
    if (seconds > LIMITS.errorSeconds) faults.push(`${situation} × ${sickness}: told after ${seconds.toFixed(1)} s`);
  }
  const ratio = besideMs / usualMs;
  if (ratio > LIMITS.latencyRatio) faults.push(`operations beside them took ${ratio.toFixed(2)} times as long`);
  if (after.sockets > before.sockets + LIMITS.socketsMore)
    faults.push(`the worker has ${after.sockets} sockets open, ${before.sockets} before`);
  if (most.rssMiB > before.rssMiB + LIMITS.rssMoreMiB)
    faults.push(`the worker took ${most.rssMiB.toFixed(0)} MiB, ${before.rssMiB.toFixed(0)} before`);
  return faults;
}
