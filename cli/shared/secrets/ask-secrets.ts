import type { Client } from '../../../client/client.js';
import { ProvisioningError } from '../../../core/errors.js';
import type { OptionSpec } from '../../command.js';
import type { Session } from '../../program/session.js';

export type SecretMethods = Client['secrets'];

/** For commands that read values: the exception `offline` of `WITHOUT_WORKER`. */
export const OFFLINE = {
  flags: '--offline',
  about: 'open the store in this process instead of asking the worker, for an emergency in which no worker can start',
} as const satisfies OptionSpec;

/** Codes of a first call that no worker answers. */
const NOBODY: ReadonlySet<string> = new Set(['engine-not-answering', 'engine-not-running']);

/**
 * Calls methods of secrets. The worker runs them, which opens the stores; `WITHOUT_WORKER` lists the exceptions.
 *
 * @param offline asks no worker
 * @throws unreachableError `no-worker` if a team shares the stores and no worker answers
 */
export async function askSecrets<T>(
  session: Session,
  ask: (secrets: SecretMethods) => Promise<T>,
  { offline = false }: { offline?: boolean | undefined } = {},
): Promise<T> {
  const found = offline ? 'no worker was asked (--offline)' : await reached(session);
  if (typeof found !== 'string') return ask(found.secrets);
  const { secretsWithoutWorker } = await import('../../../client/without-worker.js');
  const own = await secretsWithoutWorker(session, offline ? 'offline' : 'home', found);
  return ask(own.secrets).finally(() => own.close());
}

/** The client of the worker, or the reason why no worker answers. */
async function reached(session: Session): Promise<Client | string> {
  try {
    return await session.client();
  } catch (error) {
    if (error instanceof ProvisioningError && NOBODY.has(error.details.code)) return error.details.why;
    throw error;
  }
}
