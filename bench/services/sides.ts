import type { Definition } from '../../core/definition/definition.js';
import type { TestEngine } from '../../test/support/engine.js';
import { containersOf } from '../../test/support/hosts.js';
import { runWell } from '../../test/support/operations.js';
import { cpuOf, spent } from '../batch/cpu.js';
import { secondsIn } from '../converge/processor.js';
import { definitionWith, SERVER } from './definitions.js';

export type Side = 'few' | 'many';

/** Server with nothing left to do. */
export interface Settled {
  infra: string;
  definition: Definition;
  /** Number of its services. */
  services: number;
  container: string;
}

/** Seconds of one operation: wall clock and processor time. */
export interface Sample {
  seconds: number;
  activities: number;
  worker: number;
  server: number;
  /** Processor time of the whole host, including its services. */
  host: number;
}

/** A first install starts and awaits two dozen services on two cores. */
const TIMING = { healthMs: 120_000, heartbeatMs: 10_000, retryMs: 500 };

/** Creates a server with its services, and verifies that a second run has nothing to do. */
export async function made(engine: TestEngine, infra: string, side: Side): Promise<Settled> {
  const definition = definitionWith(infra, side);
  const { services } = await runWell(engine, { infra, definition, onFailure: 'keep', timing: TIMING });
  const [container] = await containersOf(infra, SERVER);
  if (!container) throw new Error(`no container of ${infra}/${SERVER}`);
  const settled = { infra, definition, services: services.length, container };
  await turnOf(engine, settled, false);
  return settled;
}

/** Runs one operation with nothing to do. Throws if it had any steps, or if a service is unhealthy. */
export async function turnOf(
  engine: TestEngine,
  { infra, definition, services, container }: Settled,
  check: boolean,
): Promise<Sample> {
  const before = { ...(await cpuOf(engine)), host: await secondsIn(container) };
  const started = performance.now();
  const result = await runWell(engine, { infra, definition, check, timing: TIMING });
  const seconds = (performance.now() - started) / 1_000;
  const after = { ...(await cpuOf(engine)), host: await secondsIn(container) };
  const left = result.plan.map(({ on, title }) => `${on}: ${title}`);
  if (left.length > 0 || result.steps.executed > 0) throw new Error(`${infra} had something to do: ${left.join('; ')}`);
  // A preview reports no services: it does not check their health.
  const healthy = result.services.filter((one) => one.healthy).length;
  if (!check && healthy !== services) throw new Error(`${infra}: ${healthy} of ${services} services are healthy`);
  const activities = await activitiesOf(engine, result.operation);
  return { seconds, activities, ...spent(before, after), host: after.host - before.host };
}

async function activitiesOf(engine: TestEngine, operation: string): Promise<number> {
  const { events } = await engine.temporal.workflow.getHandle(operation).fetchHistory();
  return (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes).length;
}
