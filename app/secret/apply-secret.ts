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
  /** Only these infras, if they use the secret. */
  infras?: readonly string[] | undefined;
  /** By infra: how its operation is carried out. */
  manners?: Readonly<Record<string, OperationManner>> | undefined;
}

/**
 * Submits a batch that brings the present value of a secret to the services that use it, one infra after another. If
 * one infra fails, the later ones are not started. Its services are handled by its manner, otherwise by the infra's
 * definition. A caller that loses the connection finds the batch by its id.
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

/** Returns the infras of a batch that applies a secret, in their order: one operation each. */
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
    // The batch keeps its effects, so that infras before the failed one keep the value. This does not concern its
    // operations.
    onFailure: definition?.onFailure ?? 'rollback',
    ...manner,
  };
}

const each = (values: readonly string[]): string[] => [...new Set(values)].sort();

/** The answer discloses the uses of the secret. */
async function checkMayRead({ engine, principal: { actor, may } }: Caller, resource: Resource): Promise<void> {
  if (await may('secret:read', await locate(engine, resource))) return;
  const why = `${actor} may not do "secret:read"`;
  throw inputError({ code: 'forbidden', what: 'apply the secret', on: `${resource.type} ${resource.id}`, why });
}
