import type { Client } from '@temporalio/client';
import type { GrantAnswer } from '../../core/infra/asked-lock.js';
import { askOpen, type EntityAnswer } from '../ask-open.js';

/** How long the entity may take to answer, in milliseconds. It takes some ten; one that is paused from outside is not waited for. */
const ANSWER_MS = 2_000;

/** Answer of the entity about an operation. Undefined without an answer in time. */
export async function askGrant(
  temporal: Client,
  entity: string,
  operation: string,
): Promise<EntityAnswer<GrantAnswer> | undefined> {
  const what = 'ask for the lock';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ANSWER_MS);
  });
  const asked = askOpen<GrantAnswer, [string]>(temporal, entity, what, 'grant', operation).catch(() => undefined);
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
