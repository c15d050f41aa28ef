import { ProvisioningError } from '../../core/errors.js';
import { readBatchState } from '../batch/state.js';
import type { Engine } from '../engine.js';
import type { Resource } from '../principal.js';

/** The operations of a submission are not checked yet. */
interface Asked {
  operations?: unknown;
}

/**
 * Returns the infras of a batch's operations, each with the environments that they name: of a batch that is submitted, or
 * of a known one. Empty for any other call.
 *
 * @throws unreachableError of an engine or a worker that does not answer
 */
export async function listBatchPlaces(engine: Engine, { type, id }: Resource, input: unknown): Promise<Map<string, Set<string>>> {
  const operations = type === 'Batch' ? await readOperations(engine, id) : ((input ?? {}) as Asked).operations;
  const places = new Map<string, Set<string>>();
  for (const one of Array.isArray(operations) ? (operations as unknown[]) : []) {
    const { infra, environment } = (one ?? {}) as { infra?: unknown; environment?: unknown };
    if (typeof infra !== 'string') continue;
    const named = places.get(infra) ?? new Set();
    places.set(infra, typeof environment === 'string' ? named.add(environment) : named);
  }
  return places;
}

/** The operations of a known batch; none of one that does not exist: its method says so. */
async function readOperations(engine: Engine, id: string): Promise<unknown[]> {
  try {
    const { pages } = await readBatchState(engine, id);
    return (await Promise.all(pages.map(engine.batchPage))).flat();
  } catch (error) {
    if (error instanceof ProvisioningError && error.details.blame === 'user') return [];
    throw error;
  }
}
