import { inputError } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { checkNoPreviewId } from '../../core/operation-id.js';
import type { BatchOperation, OperationManner } from '../../core/schema/batch-request.js';
import { submitBatch } from '../batch/start.js';
import { readBatchRows } from '../batch/state.js';
import { queryInventory } from '../infra/entity.js';
import { locate } from '../locate.js';
import type { Call } from '../method.js';
import { type Resource, signRequest } from '../principal.js';
import type { SecretPlace } from './chosen-secret.js';
import { findPresentUses } from './rotate-secret.js';
import type { SecretUse } from './secret-use.js';

type Caller = Pick<Call, 'engine' | 'principal'>;

/** Operations of a batch that are read at a time. */
const ROWS = 1_000;

interface Wish {
  /** The id of the batch. */
  as: string;
  resource: Resource;
  /** Of the infras that use the secret, only these. */
  infras?: readonly string[] | undefined;
  /** By infra: how its operation is carried out. */
  manners?: Readonly<Record<string, OperationManner>> | undefined;
}

/**
 * Submits a batch that brings the present value of a secret to the services that use it, one infra after another. If one
 * fails, those after it are not begun, and its services are handled as the infra's definition says, or its manner. Whoever
 * lost sight of it finds it by the id of the batch.
 *
 * @returns the infras in their order; without `batch` if no installed service uses the secret
 * @throws inputError `forbidden`, `operation-exists`, and those of `findPresentUses`
 */
export async function applySecret(
  caller: Caller,
  place: SecretPlace,
  { as, resource, infras: only, manners = {} }: Wish,
): Promise<{ batch?: string; infras: string[] }> {
  const { engine, principal } = caller;
  checkNoPreviewId(as, 'apply the secret');
  await checkMayRead(caller, resource);
  const present = await findPresentUses(caller, place);
  const used = present.filter(({ infra, services }) => services.length > 0 && (only?.includes(infra) ?? true));
  const infras = used.map(({ infra }) => infra);
  if (used.length === 0) return { infras };
  const { workspace } = place;
  const inventories = await Promise.all(used.map(({ infra }) => queryInventory(engine, { workspace, infra })));
  const header = { id: as, name: 'secret', workspace, ...signRequest(principal) };
  const operations = used.map((use, index) => operationFor(use, index, inventories[index], manners[use.infra]));
  const { batch } = await submitBatch(engine, {
    ...{ ...header, parallel: 1, accounts: {}, priority: 3, onFailure: 'keep' },
    ...{ operations, definitions: {} },
  });
  return { batch, infras };
}

/** The infras of a batch that brings a secret, in their order: an operation each. */
export async function readAppliedInfras({ engine }: Pick<Caller, 'engine'>, batch: string): Promise<string[]> {
  const infras: string[] = [];
  for (;;) {
    const { rows, more } = await readBatchRows(engine, batch, { from: infras.length, limit: ROWS });
    infras.push(...rows.map(({ infra }) => infra));
    if (!more || rows.length === 0) return infras;
  }
}

/** An operation that changes the services which use the secret, and no others. */
function operationFor(
  { infra, services }: SecretUse,
  index: number,
  { servers = {}, definition }: Partial<Inventory> = {},
  manner: OperationManner = {},
): BatchOperation {
  return {
    ...{ name: infra, kind: 'taskserv', verb: 'ensure', infra },
    servers: each(services.map(({ server }) => server)),
    taskservs: each(services.map(({ taskserv }) => taskserv)),
    ...(index > 0 && { needs: [index - 1] }),
    ...{ stage: index, accounts: each(services.flatMap(({ server }) => servers[server]?.provider ?? [])) },
    // The batch keeps what it did, so that infras before the failed one keep the value. This says nothing of its operations.
    onFailure: definition?.onFailure ?? 'rollback',
    ...manner,
  };
}

const each = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** The answer tells where the secret is used. */
async function checkMayRead({ engine, principal: { actor, may } }: Caller, resource: Resource): Promise<void> {
  if (await may('secret:read', await locate(engine, resource))) return;
  const why = `${actor} may not do "secret:read"`;
  throw inputError({ code: 'forbidden', what: 'apply the secret', on: `${resource.type} ${resource.id}`, why });
}
