import type { demoDefinition } from '../../test/support/definition.js';
import type { startTestEngine, TestEngine } from '../../test/support/engine.js';
import type { runWell } from '../../test/support/operations.js';
import type { Bare, withBareWorker } from '../batch/bare.js';
import type { CpuSeconds, cpuOf } from '../batch/cpu.js';
import { QUEUE } from '../batch/wanted.js';
import { median } from '../measure.js';

/** Tools from the measured checkout. */
export interface Tools {
  startTestEngine: typeof startTestEngine;
  demoDefinition: typeof demoDefinition;
  runWell: typeof runWell;
  withBareWorker: typeof withBareWorker;
  cpuOf: typeof cpuOf;
}

export interface Turns {
  /** Number of activities in one operation, and in the bare workflow. */
  activities: number;
  medianSeconds: { ours: number; again: number; bare: number };
  /** Mean processor time of an operation in worker and server, in seconds. */
  processor: { ours: CpuSeconds; again: CpuSeconds };
}

/**
 * Runs the bare workflow, the operation, and the same operation with nothing to do, repeatedly in turn on one engine.
 */
export async function takeTurns(tools: Tools, runs: number): Promise<Turns> {
  const engine = await tools.startTestEngine({ PROVISIONING_CHECK_ANSWERS: '0' });
  const operationOn = (infra: string) => {
    const definition = tools.demoDefinition(infra, { servers: [{ name: 'web' }], taskservs: ['redis'] });
    return tools.runWell(engine, { infra, definition });
  };
  try {
    const { operation } = await operationOn('warm');
    const activities = await activitiesOf(engine, operation);
    const times = { ours: [] as number[], again: [] as number[], bare: [] as number[] };
    const processor = { ours: { worker: 0, server: 0 }, again: { worker: 0, server: 0 } };
    const turn = async (which: 'ours' | 'again', infra: string) => {
      const before = await tools.cpuOf(engine);
      times[which].push(await seconds(() => operationOn(infra)));
      const after = await tools.cpuOf(engine);
      for (const part of ['worker', 'server'] as const) processor[which][part] += (after[part] - before[part]) / runs;
    };
    await tools.withBareWorker(engine, async (bare) => {
      await bareOf(bare, 'warm', activities);
      for (let at = 1; at <= runs; at++) {
        times.bare.push(await seconds(() => bareOf(bare, `bare-${at}`, activities)));
        await turn('ours', `shop-${at}`);
        await turn('again', `shop-${at}`);
      }
    });
    const medianSeconds = { ours: median(times.ours), again: median(times.again), bare: median(times.bare) };
    return { activities, medianSeconds, processor };
  } finally {
    await engine.stop();
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

async function activitiesOf(engine: TestEngine, operation: string): Promise<number> {
  const { events } = await engine.temporal.workflow.getHandle(operation).fetchHistory();
  return (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes).length;
}

const bareOf = ({ temporal }: Bare, name: string, times: number) =>
  temporal.workflow.execute('bare', { workflowId: name, taskQueue: QUEUE, args: [name, times] });
