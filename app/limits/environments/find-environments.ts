import { ProvisioningError } from '../../../core/errors.js';
import type { OperationRequest } from '../../../core/operation/operation.js';
import { findTenant } from '../../../core/tenant-names.js';
import { infraEnvironments } from '../../../stores/rows/workspaces/infra-environments.js';
import type { Rows } from '../../../stores/rows.js';
import { readBundle } from '../../bundle/bundle-store.js';
import type { Engine } from '../../engine.js';
import { listDefinitions } from '../../infra/entity.js';
import { recordEnvironment } from './record-environment.js';

interface Place {
  workspace: string;
  infra: string;
}

/** Returns the environments in which an infra is: usually one, none if nothing is recorded. */
export async function readEnvironments(rows: Rows, { workspace, infra }: Place): Promise<string[] | undefined> {
  const found = await rows.table(infraEnvironments).get({ tenant: findTenant(workspace), workspace, infra });
  return found && [found.row.environment, found.row.former ?? ''].filter((name) => name !== '');
}

/**
 * Returns the same, and looks for the environment of an infra whose definition a former release applied: the files of
 * its definition have it, as long as Temporal knows the operation that applied it. It is recorded then.
 */
export async function findEnvironments(
  engine: Pick<Engine, 'temporal' | 'stores'>,
  rows: Rows,
  place: Place,
): Promise<readonly string[]> {
  const known = await readEnvironments(rows, place);
  if (known) return known;
  const inForce = (await listDefinitions(engine as Engine, place)).find((row) => row.inForce);
  if (!inForce || inForce.operation === '') return [];
  const request = await engine.temporal.workflow
    .getHandle(inForce.operation)
    .query<OperationRequest>('request')
    .catch(() => undefined);
  if (!request) return [];
  const environment = request.bundle === undefined ? undefined : await readBundleEnvironment(engine, place, request.bundle);
  await recordEnvironment(rows, place, environment);
  return environment === undefined ? [] : [environment];
}

/** Returns the environment of the files of a definition; undefined if they have none, or are not stored for this infra. */
export async function readBundleEnvironment(
  { stores }: Pick<Engine, 'stores'>,
  place: Place,
  address: string,
): Promise<string | undefined> {
  try {
    return (await readBundle(stores.blobs, place, address)).environment;
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.blame === 'user') return undefined;
    throw error;
  }
}
