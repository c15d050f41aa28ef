import type { ConnectionLike } from '@temporalio/client';
import type { EngineRecord } from '../../core/engine/engine.js';
import type { Fleet, FleetVersion, VersionState } from '../../core/engine/fleet.js';
import { quoteValue } from '../../core/engine/quote-value.js';
import { inputError } from '../../core/errors.js';
import { OPEN } from '../temporal/visibility.js';

const NOT_FOUND = 5;
/** WorkerDeploymentVersionStatus of Temporal's API. */
const STATES: Readonly<Record<number, VersionState>> = { 1: 'inactive', 2: 'current', 3: 'ramping', 4: 'draining', 5: 'drained' };

/** A fleet in a namespace. */
export interface FleetPlace {
  namespace: string;
  deployment: string;
}

/** Returns the fleet of a home. @throws inputError `no-fleet` if its workers have no versions */
export function locateFleet({ namespace, deployment }: Pick<EngineRecord, 'namespace' | 'deployment'>): FleetPlace {
  if (deployment) return { namespace, deployment };
  throw inputError({
    code: 'no-fleet',
    what: 'look at the fleet',
    why: 'the workers of this home have no versions',
    hint: 'set PROVISIONING_DEPLOYMENT=NAME, or deployment in settings.yaml, and run `provisioning up`; docs/operate/fleet.md',
  });
}

/** Returns the versions, newest first; empty if no worker has been seen yet. */
export async function describeFleet(
  connection: Pick<ConnectionLike, 'workflowService'>,
  { namespace, deployment }: FleetPlace,
): Promise<Fleet> {
  const request = { namespace, deploymentName: deployment };
  const answer = await connection.workflowService.describeWorkerDeployment(request).catch((error: { code?: number }) => {
    if (error.code === NOT_FOUND) return undefined;
    throw error;
  });
  const info = answer?.workerDeploymentInfo;
  const routing = info?.routingConfig;
  const versions = (info?.versionSummaries ?? []).map((summary): FleetVersion & { made: number } => {
    const build = summary.deploymentVersion?.buildId ?? '';
    const state = STATES[summary.status ?? 0] ?? 'inactive';
    const made = Number(summary.createTime?.seconds ?? 0);
    return {
      build,
      state,
      ...(state === 'ramping' ? { percent: routing?.rampingVersionPercentage ?? 0 } : {}),
      since: new Date(made * 1000).toISOString(),
      made,
    };
  });
  versions.sort((a, b) => b.made - a.made);
  return { deployment, versions: versions.map(({ made: _, ...version }) => version) };
}

/** Routes new operations to this build from now on; running operations stay on their build. */
export async function promote(
  connection: Pick<ConnectionLike, 'workflowService'>,
  { namespace, deployment }: FleetPlace,
  build: string,
): Promise<void> {
  const request = { namespace, deploymentName: deployment, buildId: build, identity: 'provisioning fleet' };
  await connection.workflowService
    .setWorkerDeploymentCurrentVersion(request)
    .catch((error: unknown) => Promise.reject(unknownBuild(error, build, deployment)));
}

/** This share of new operations begins on this build; 0 ends the ramp. */
export async function ramp(
  connection: Pick<ConnectionLike, 'workflowService'>,
  { namespace, deployment }: FleetPlace,
  build: string,
  percent: number,
): Promise<void> {
  const request = {
    namespace,
    deploymentName: deployment,
    buildId: percent === 0 ? '' : build,
    percentage: percent,
    identity: 'provisioning fleet',
  };
  await connection.workflowService
    .setWorkerDeploymentRampingVersion(request)
    .catch((error: unknown) => Promise.reject(unknownBuild(error, build, deployment)));
}

/** How many operations are pinned to a build and still run. */
export async function countPinned(
  connection: Pick<ConnectionLike, 'workflowService'>,
  { namespace, deployment }: FleetPlace,
  build: string,
): Promise<number> {
  const version = quoteValue(`${deployment}:${build}`);
  const query = `TemporalWorkerDeploymentVersion = ${version} AND TemporalWorkflowVersioningBehavior = 'Pinned' AND ${OPEN}`;
  const { count } = await connection.workflowService.countWorkflowExecutions({ namespace, query });
  return Number(count ?? 0);
}

/** A fleet with the operations that still run on each of its versions. */
export async function fleetNow(connection: Pick<ConnectionLike, 'workflowService'>, place: FleetPlace): Promise<Fleet> {
  const { deployment, versions } = await describeFleet(connection, place);
  const counted = versions.map(async (version) => ({
    ...version,
    operations: await countPinned(connection, place, version.build),
  }));
  return { deployment, versions: await Promise.all(counted) };
}

function unknownBuild(error: unknown, build: string, deployment: string): unknown {
  const { code, details } = error as { code?: number; details?: string };
  const FAILED_PRECONDITION = 9;
  if (code !== NOT_FOUND && code !== FAILED_PRECONDITION) return error;
  const why = details || 'no worker of this build has been seen';
  const hint = 'check `provisioning fleet status`; a worker of that build must run first';
  return inputError({ code: 'unknown-version', what: `route operations of ${deployment}`, on: build, why, hint }, { cause: error });
}
