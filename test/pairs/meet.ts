import type { OperationResult } from '../../core/operation/operation.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { shellOf, sweep } from '../support/hosts.js';
import { run } from '../support/operations.js';
import type { Meeting } from './choose.js';
import { entryOf } from './services.js';

/** Remaining steps of a definition with these services after it was applied. */
export interface Stage {
  services: readonly string[];
  /** Steps that a second run would take, as `SERVER/SERVICE: TITLE`. Empty if all is well. */
  left: string[];
  /** Other faults: the operation failed, or a service is not healthy. */
  faults: string[];
}

export interface Met {
  meeting: Meeting;
  stages: Stage[];
  seconds: number;
  /** Packages on the host at the end. */
  packages: string[];
}

const SERVER = 'a';
const TIMING = { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200 };

/** Stages: both at once, only the first, only the second, and the first added to the second. */
const stagesOf = (meeting: Meeting): readonly (readonly string[])[] =>
  meeting.length === 1 ? [meeting, [], meeting] : [meeting, [meeting[0]], [meeting[1]], meeting];

/** Runs services on a fresh host. After each definition is applied, it records the remaining steps. */
export async function meet(engine: TestEngine, meeting: Meeting, infra: string): Promise<Met> {
  const started = performance.now();
  try {
    const stages: Stage[] = [];
    for (const services of stagesOf(meeting)) stages.push(await play(engine, infra, services));
    const packages = (await shellOf(infra, SERVER)(`dpkg-query -W -f '\${Package}\\n'`)).split('\n');
    return { meeting, stages, packages, seconds: (performance.now() - started) / 1000 };
  } finally {
    await sweep(infra);
  }
}

async function play(engine: TestEngine, infra: string, services: readonly string[]): Promise<Stage> {
  const definition = definitionOf({
    infra,
    provider: 'local',
    servers: [{ name: SERVER }],
    taskservs: services.map(entryOf),
  });
  const wish = { infra, definition, onFailure: 'keep' as const, timing: TIMING };
  const first = await run(engine, wish);
  const second = await run(engine, { ...wish, check: true });
  return {
    services,
    left: second.plan.map(({ on, title }) => `${on}: ${title}`),
    faults: [...faultsOf(first), ...faultsOf(second), ...sicknessOf(first, services)],
  };
}

const faultsOf = ({ status, error }: OperationResult): string[] =>
  status === 'done' ? [] : [`${status}: ${error?.step} on ${error?.on}: ${error?.why}`];

const sicknessOf = ({ services: found }: OperationResult, services: readonly string[]): string[] =>
  services
    .filter((name) => !found.some(({ taskserv, healthy }) => taskserv === name && healthy))
    .map((name) => `${name} is not healthy`);

/** Lists all faults, one per line. */
export const wrongIn = ({ meeting, stages }: Met): string[] =>
  stages.flatMap(({ services, left, faults }) =>
    [...left.map((title) => `left to do: ${title}`), ...faults].map(
      (what) => `${meeting.join(' + ')}, with ${services.join(' + ') || 'neither'}: ${what}`,
    ),
  );
