import { inputError, ProvisioningError } from '../core/errors.js';
import type { Home } from '../home/home.js';
import type { Client } from './client.js';
import { chooseContext } from './http/connection.js';
import type { OwnGroup, WITHOUT_WORKER } from './without-worker.js';

/** A caller: a command, or a program. */
export interface Asker {
  home: Home;
  env: NodeJS.ProcessEnv;
  client(): Promise<Client>;
}

/** Codes of a first call that no worker answers. */
const NOT_ANSWERED: ReadonlySet<string> = new Set(['engine-not-answering', 'engine-not-running']);

/** Reason why this process runs the methods: an exception of `WITHOUT_WORKER`, and its explanation. */
interface Reason {
  because: Exclude<keyof typeof WITHOUT_WORKER, 'team' | 'copy'>;
  why: string;
}

/**
 * Calls methods of a group. The worker runs them, which opens stores and keys; `WITHOUT_WORKER` lists the exceptions.
 *
 * @param reason allows the call without a worker
 * @throws inputError `needs-this-machine` if the context names a server and the reason is `offline`
 * @throws unreachableError `no-worker` if a team shares the stores and no worker answers
 */
export async function askPlatform<G extends OwnGroup, T>(
  asker: Asker,
  group: G,
  ask: (methods: Client[G]) => Promise<T>,
  reason?: Reason,
): Promise<T> {
  if (reason?.because === 'offline') checkHere(asker);
  const found = reason ?? (await reached(asker));
  if ('because' in found) return askHere(asker, group, ask, found);
  try {
    return await ask(found[group]);
  } catch (error) {
    if (!(error instanceof ProvisioningError) || error.details.code !== 'unknown-call' || isRemote(asker)) throw error;
    // Nothing was done: the worker does not know the method.
    return askHere(asker, group, ask, { because: 'former', why: error.details.why });
  }
}

/**
 * Refuses a platform behind a server: its data cannot be read without calling it.
 *
 * @throws inputError `needs-this-machine`
 */
function checkHere(asker: Asker): void {
  const context = chooseContext(asker);
  if (!context) return;
  throw inputError({
    code: 'needs-this-machine',
    what: 'read the secrets without a worker',
    on: context.name ?? context.url,
    why: '--offline opens the store of a home on this machine, and commands ask a server now',
    hint: 'omit --offline, or add --context local',
  });
}

async function askHere<G extends OwnGroup, T>(
  asker: Asker,
  group: G,
  ask: (methods: Client[G]) => Promise<T>,
  { because, why }: Reason,
): Promise<T> {
  const { clientWithoutWorker } = await import('./without-worker.js');
  const own = await clientWithoutWorker(asker, group, because, why);
  return ask(own[group]).finally(() => own.close());
}

/** The client of the worker, or the reason why no worker answers. */
async function reached(asker: Asker): Promise<Client | Reason> {
  try {
    return await asker.client();
  } catch (error) {
    if (!isRemote(asker) && error instanceof ProvisioningError && NOT_ANSWERED.has(error.details.code))
      return { because: 'home', why: error.details.why };
    throw error;
  }
}

/**
 * Whether calls go to a server, or to the worker of another home: its files are not in reach.
 *
 * @throws as `chooseContext`
 */
export const isRemote = ({ env, home }: Pick<Asker, 'env' | 'home'>): boolean =>
  chooseContext({ env, home }) !== undefined || Boolean(env.PROVISIONING_SOCKET);
