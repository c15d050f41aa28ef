import type { Client } from '../../../client/client.js';
import type { OwnGroup, WITHOUT_WORKER } from '../../../client/without-worker.js';
import { ProvisioningError } from '../../../core/errors.js';
import type { Session } from '../../program/session.js';

/** Codes of a first call that no worker answers. */
const NOT_ANSWERED: ReadonlySet<string> = new Set(['engine-not-answering', 'engine-not-running']);

/** Why this process runs the methods: an exception of `WITHOUT_WORKER`, and what is said of it. */
interface Reason {
  because: Exclude<keyof typeof WITHOUT_WORKER, 'team' | 'copy'>;
  why: string;
}

/**
 * Calls methods of a group. The worker runs them, which opens stores and keys; `WITHOUT_WORKER` lists the exceptions.
 *
 * @param reason asks no worker
 * @throws unreachableError `no-worker` if a team shares the stores and no worker answers
 */
export async function askPlatform<G extends OwnGroup, T>(
  session: Session,
  group: G,
  ask: (methods: Client[G]) => Promise<T>,
  reason?: Reason,
): Promise<T> {
  const found = reason ?? (await reached(session));
  if ('because' in found) return askHere(session, group, ask, found);
  try {
    return await ask(found[group]);
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.code !== 'unknown-call' || isRemote(session)) throw error;
    // Nothing was done: the worker does not know the method.
    return askHere(session, group, ask, { because: 'former', why: error.details.why });
  }
}

async function askHere<G extends OwnGroup, T>(
  session: Session,
  group: G,
  ask: (methods: Client[G]) => Promise<T>,
  { because, why }: Reason,
): Promise<T> {
  const { clientWithoutWorker } = await import('../../../client/without-worker.js');
  const own = await clientWithoutWorker(session, group, because, why);
  return ask(own[group]).finally(() => own.close());
}

/** The client of the worker, or the reason why no worker answers. */
async function reached(session: Session): Promise<Client | Reason> {
  try {
    return await session.client();
  } catch (error) {
    if (!isRemote(session) && error instanceof ProvisioningError && NOT_ANSWERED.has(error.details.code))
      return { because: 'home', why: error.details.why };
    throw error;
  }
}

/** Whether the worker is that of another home, whose files are not in reach. */
export const isRemote = ({ env }: Pick<Session, 'env'>): boolean => Boolean(env.PROVISIONING_SOCKET);
