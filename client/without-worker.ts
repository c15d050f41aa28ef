import type { Client as Temporal } from '@temporalio/client';
import { dispatcherOver } from '../app/dispatcher.js';
import { createEngine } from '../app/engine.js';
import { createOwner } from '../app/principal.js';
import { SECRET_METHODS } from '../app/secret/secret-methods.js';
import { unreachableError } from '../core/errors.js';
import type { Home } from '../home/home.js';
import { principal } from '../home/principal.js';
import { resolveEnvironment } from '../settings/settings.js';
import { openSecrets } from '../stores/open-secrets.js';
import { type Client, clientOver } from './client.js';
import { storesElsewhere } from './stores-elsewhere.js';

/** When methods of secrets run in the process of the command, and why. Otherwise only a worker opens stores. */
export const WITHOUT_WORKER = {
  home: 'A home on this machine has no worker before its first `up` and after a `down`. Definitions refer to secrets, so people set them before the first `apply`. The files belong to the user who runs the command.',
  team: 'A member of a team reaches Temporal and the store, but not the socket of a worker on another machine (client/direct.ts).',
  offline:
    '`secret get` and `secret export` with `--offline`: a person may need a value while no worker can start, such as the password of the database that stopped it.',
} as const;

/**
 * A client whose methods of secrets run in this process, by the same steps as in a worker. Its other methods fail.
 *
 * @param because the exception of `WITHOUT_WORKER` that allows it
 * @param why no engine is asked, for methods that need one
 * @throws unreachableError `no-worker` for the stores of a team, except with `offline`
 */
export async function secretsWithoutWorker(
  { home, env: given }: { home: Home; env: NodeJS.ProcessEnv },
  because: Exclude<keyof typeof WITHOUT_WORKER, 'team'>,
  why: string,
): Promise<Client> {
  const env = await resolveEnvironment(home, given);
  if (env.PROVISIONING_STORE && because !== 'offline') {
    throw unreachableError({
      code: 'no-worker',
      what: 'open the secrets',
      on: home.root,
      why: `commands open the store of a team only while its engine answers: ${why}`,
      hint: 'provisioning up; to read values without a worker: `secret get --offline`, `secret export --offline`',
    });
  }
  const { secrets, close } = await openSecrets(home, env);
  const engine = createEngine({ temporal: noTemporal(home, why), taskQueue: '', stores: { ...storesElsewhere(home), secrets } });
  const checksAnswers = env.PROVISIONING_CHECK_ANSWERS === '1';
  const caller = { engine, principal: createOwner(principal()), checksAnswers };
  return clientOver({ ...dispatcherOver(caller, SECRET_METHODS), close });
}

/** A connection that was never opened: each use of it fails. */
const noTemporal = ({ root }: Home, why: string): Temporal =>
  new Proxy({} as Temporal, {
    get() {
      throw unreachableError({
        code: 'engine-not-running',
        what: 'find the engine',
        on: root,
        why,
        hint: 'provisioning up',
      });
    },
  });
