import { WorkflowNotFoundError } from '@temporalio/client';
import type { Bundle } from '../../../core/definition/bundle.js';
import { ProvisioningError } from '../../../core/errors.js';
import type { OperationRequest } from '../../../core/operation/operation.js';
import { findTenant } from '../../../core/tenant-names.js';
import { infraEnvironments } from '../../../stores/rows/workspaces/infra-environments.js';
import type { Rows } from '../../../stores/rows.js';
import { readBundle } from '../../bundle/bundle-store.js';
import type { Engine } from '../../engine.js';
import { listDefinitions } from '../../infra/entity.js';
import { operationsWhere } from '../../operation/list.js';
import { translateFault } from '../../temporal/fault.js';
import { formatCondition, listWorkflows, OPEN } from '../../temporal/visibility.js';
import { listEnvironments, recordEnvironment } from './record-environment.js';

type Asker = Pick<Engine, 'temporal' | 'stores'>;

interface Place {
  workspace: string;
  infra: string;
}

/** Operations of the definition in force that are asked for its environment, at most: a roll-back says none. */
const ASKED = 3;

/** Returns the environments in which an infra is: usually one, none if nothing is recorded. */
export async function readEnvironments(rows: Rows, { workspace, infra }: Place): Promise<string[] | undefined> {
  const found = await rows.table(infraEnvironments).get({ tenant: findTenant(workspace), workspace, infra });
  return found && listEnvironments(found.row);
}

/**
 * Returns the same, and looks for the environment of an infra whose definition a former release applied: the files of
 * its definition have it, or its request, as long as Temporal knows the operation that applied it. It is recorded then.
 *
 * @throws unreachableError of an engine or a worker that does not answer: the infra may be in any environment
 */
export async function findEnvironments(engine: Asker, rows: Rows, place: Place): Promise<readonly string[]> {
  const known = await readEnvironments(rows, place);
  if (known) return known;
  const inForce = await findEnvironmentInForce(engine, place);
  if (!inForce.isKnown) return [];
  await recordEnvironment(rows, place, inForce.environment);
  return inForce.environment === undefined ? [] : [inForce.environment];
}

/**
 * Records the environment of a definition before its operation starts. An environment that is known only to the
 * operation of the definition in force is recorded first, so that it still counts.
 *
 * @throws as `findEnvironments`
 */
export async function recordSubmission(engine: Asker, rows: Rows, place: Place, environment: string | undefined): Promise<void> {
  await findEnvironments(engine, rows, place);
  await recordEnvironment(rows, place, environment, () => isSettledIn(engine, place, environment));
}

/** Returns whether only this environment counts. An engine that does not answer tells nothing: the others still count. */
async function isSettledIn(engine: Asker, { workspace, infra }: Place, environment: string | undefined): Promise<boolean> {
  try {
    const open = [operationsWhere({ workspace, infra }), OPEN].join(' AND ');
    for await (const _ of listWorkflows(engine.temporal, open)) return false;
    // An operation of a batch has no workflow before its turn, so any open batch may apply another definition.
    const batches = [formatCondition('kind', 'batch'), formatCondition('workspace', workspace), OPEN].join(' AND ');
    for await (const _ of listWorkflows(engine.temporal, batches)) return false;
    const inForce = await findEnvironmentInForce(engine, { workspace, infra });
    return inForce.isSaid && inForce.environment === environment;
  } catch {
    return false;
  }
}

/** What is known of the definition in force. `isSaid`: its files or its request say in which environment it is, or that it is in none. */
interface InForce {
  isKnown: boolean;
  isSaid: boolean;
  environment?: string | undefined;
}

async function findEnvironmentInForce(engine: Asker, place: Place): Promise<InForce> {
  const inForce = (await listDefinitions(engine as Engine, place)).find((row) => row.inForce);
  // The newest first: the same definition can be applied from another environment.
  const operations = new Set([...[...(inForce?.by ?? [])].reverse(), inForce?.operation ?? '']);
  operations.delete('');
  let isKnown = false;
  for (const operation of [...operations].slice(0, ASKED)) {
    const request = await readRequest(engine, operation);
    isKnown = request !== undefined;
    if (request?.bundle === undefined) {
      if (request?.environment === undefined) continue;
      return { isKnown, isSaid: true, environment: request.environment };
    }
    const bundle = await readStoredBundle(engine, place, request.bundle);
    return { isKnown, isSaid: bundle !== undefined, environment: bundle?.environment };
  }
  return { isKnown, isSaid: false };
}

/** Returns what an operation was submitted with; undefined if Temporal has forgotten it. */
async function readRequest({ temporal }: Asker, operation: string): Promise<OperationRequest | undefined> {
  try {
    return await temporal.workflow.getHandle(operation).query<OperationRequest>('request');
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw translateFault(error, operation);
  }
}

/** Returns the environment of the files of a definition; undefined if they have none, or are not stored for this infra. */
export const readBundleEnvironment = async (
  engine: Pick<Engine, 'stores'>,
  place: Place,
  address: string,
): Promise<string | undefined> => (await readStoredBundle(engine, place, address))?.environment;

/** Returns the files of a definition; undefined if they are not stored for this infra. */
async function readStoredBundle({ stores }: Pick<Engine, 'stores'>, place: Place, address: string): Promise<Bundle | undefined> {
  try {
    return await readBundle(stores.blobs, place, address);
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.blame === 'user') return undefined;
    throw error;
  }
}
