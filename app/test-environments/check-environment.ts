import type { TestEnvironment } from '../../core/environment/test-environment.js';
import type { TestResult } from '../../core/environment/test-result.js';
import { compareInfra } from '../infra/compare-infra.js';
import { queryInventory } from '../infra/entity.js';
import { type LiveService, liveServices } from '../infra/live-services.js';
import type { Call } from '../method.js';
import { queryEnvironment } from './environments.js';

interface Asked {
  /** The workspace of test environments. */
  workspace: string;
  infra: string;
  /** Only this server. */
  servers?: string[] | undefined;
  /** Milliseconds that each host may take to answer. */
  withinMs: number;
}

/**
 * Checks a test environment by a workflow: the health of its services, as their taskservs define it, and whether a
 * second run would change something. Changes nothing.
 *
 * @throws inputError `unknown-environment`, `unknown-infra` before its creation has begun
 */
export async function checkEnvironment(
  call: Pick<Call, 'engine' | 'principal'>,
  { workspace, infra, servers, withinMs }: Asked,
): Promise<{ environment: TestEnvironment; tests: TestResult[] }> {
  const environment = await queryEnvironment(call.engine, workspace, infra);
  const began = performance.now();
  const report = await compareInfra(
    call,
    { workspace, infra, hosts: { withinMs, ...(servers && { servers }) }, clouds: false },
    { purpose: 'test', summary: `Check the test environment ${infra}` },
  );
  const seconds = (performance.now() - began) / 1_000;
  const inventory = await queryInventory(call.engine, { workspace, infra });
  const services = inventory ? liveServices([{ inventory, report }]) : [];
  return { environment, tests: services.flatMap((service) => resultsOf(service, seconds)) };
}

/** Returns the results for a service: its health, and whether its state is unchanged. */
function resultsOf({ server, taskserv, state, why, steps = [] }: LiveService, seconds: number): TestResult[] {
  const well = state === 'healthy' || state === 'differs';
  const health = { kind: 'health', name: `${taskserv} is healthy`, server, seconds } as const;
  const unchanged = { kind: 'unchanged', name: `${taskserv} needs no further change`, server, seconds: 0 } as const;
  if (!well)
    return [
      { ...health, status: 'failed', why: `${state}${why === undefined ? '' : `: ${why}`}` },
      { ...unchanged, status: 'skipped', why: 'the service is not healthy' },
    ];
  return [
    { ...health, status: 'passed' },
    state === 'healthy'
      ? { ...unchanged, status: 'passed' }
      : { ...unchanged, status: 'failed', why: `a second run would change more: ${steps.join('; ')}` },
  ];
}
