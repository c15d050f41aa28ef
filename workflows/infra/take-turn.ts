import { CancellationScope, getExternalWorkflowHandle, isCancellation, setHandler } from '@temporalio/workflow';
import { unpackIfPacked } from '../../core/encoding/pack.js';
import type { InventoryChange } from '../../core/infra/inventory.js';
import type { Grant, Lock } from '../../core/infra/lock.js';
import { infraWorkflowId } from '../../core/names.js';
import type { LockRequest } from '../../core/operation/operation.js';
import { acquire, forgotten, granted, release } from './infra.js';
import { waitUntilGranted } from './until-granted.js';

/** The lock of an infra while an inquiry holds it. */
export interface Turn {
  grant: Grant;
  under(): Lock;
  /** Gives the lock back, with what was done under it. An entity that has ended is no error. */
  end(changes: InventoryChange[]): Promise<void>;
}

interface Wanted {
  workspace: string;
  infra: string;
  request: LockRequest;
  /** The first pause before the request is repeated, in milliseconds. */
  firstMs?: number;
  /** Starts the infra's entity with the request; absent: an infra without an entity has no turn. */
  askNew?(request: LockRequest): Promise<unknown>;
}

/** Waits for the lock of an infra. A cancel takes the request back. @returns undefined if there is no such infra */
export async function takeTurn({ workspace, infra, request, firstMs, askNew }: Wanted): Promise<Turn | undefined> {
  const entity = getExternalWorkflowHandle(infraWorkflowId(workspace, infra));
  let grant: Grant | undefined;
  setHandler(granted, (given) => {
    // The infra of the turn before may repeat its answer.
    if (unpackIfPacked(given.inventory).infra === infra) grant ??= given;
  });
  const under = (): Lock => ({ entity: entity.workflowId, ...(grant && { grant: grant.grant }) });
  const inTheEnd = (tell: () => Promise<void>) => CancellationScope.nonCancellable(() => tell().catch(() => {}));
  try {
    try {
      await entity.signal(acquire, request);
    } catch (error) {
      if (isCancellation(error)) throw error;
      if (!askNew) return undefined;
      await askNew(request);
    }
    const asked = { workspace, infra, request, starts: askNew !== undefined, firstMs };
    grant = await waitUntilGranted({ ...asked, under, given: () => grant });
  } catch (error) {
    await inTheEnd(() => entity.signal(forgotten, [request.operation]));
    throw error;
  }
  if (!grant) return undefined;
  const held = grant;
  return { grant: held, under, end: (changes) => inTheEnd(() => entity.signal(release, { grant: held.grant, changes })) };
}
