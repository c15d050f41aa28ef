import type { Client as Temporal } from '@temporalio/client';
import { dispatcherOver } from '../app/dispatcher.js';
import { createEngine } from '../app/engine.js';
import type { AnyMethod } from '../app/method.js';
import { createOwner } from '../app/principal.js';
import { unreachableError } from '../core/errors.js';
import type { Home } from '../home/home.js';
import { principal } from '../home/principal.js';
import { resolveEnvironment } from '../settings/settings.js';
import { openSecrets } from '../stores/open-secrets.js';
import { type Client, clientOver } from './client.js';
import { backupProgram } from './engine-program/backup-program.js';
import { storesElsewhere } from './stores-elsewhere.js';

/** When methods run in the process of the command, and why. Otherwise only a worker opens stores and keys. */
export const WITHOUT_WORKER = {
  home: 'A home on this machine has no worker before its first `up` and after a `down`. Definitions refer to secrets, so people set secrets and check definitions before the first `apply`; a definition may also generate secrets. Backups and keys are needed while an engine cannot start. The files belong to the user who runs the command.',
  team: 'A member of a team reaches Temporal and the store, but not the socket of a worker on another machine (client/direct.ts).',
  offline:
    '`secret get` and `secret export` with `--offline`. A person may need a value while no worker can start, such as the password of the database that stopped it.',
  former: 'A worker of a former version does not have the method. A backup is made before `up` replaces it.',
  environment:
    '`encryption rewrap` with a key service in the environment of the command: a running worker does not have this environment before its restart.',
  copy: '`backup verify` with `--key` or `--recovery`: the keys are the files of a person, which no worker gets.',
} as const;

const byName = (...modules: object[]): Record<string, AnyMethod> =>
  Object.fromEntries(modules.flatMap((one): AnyMethod[] => Object.values(one)).map((method) => [method.name, method]));

/** The methods that can run in the process of a command, by their group. A command loads those of its group. */
export const OWN_METHODS = {
  secrets: async (): Promise<Readonly<Record<string, AnyMethod>>> =>
    (await import('../app/secret/secret-methods.js')).SECRET_METHODS,
  providers: async () => byName(await import('../app/methods/providers/list.js')),
  backups: async () =>
    byName(
      await import('../app/methods/backups/create.js'),
      await import('../app/methods/backups/list.js'),
      await import('../app/methods/backups/verify.js'),
      await import('../app/methods/backups/sweep.js'),
    ),
  encryption: async () =>
    byName(
      await import('../app/methods/encryption/status.js'),
      await import('../app/methods/encryption/rotate.js'),
      await import('../app/methods/encryption/rewrap.js'),
    ),
} as const;
export type OwnGroup = keyof typeof OWN_METHODS;

/** Groups whose methods read the store of secrets, which may be a team's. */
const STORED: ReadonlySet<OwnGroup> = new Set(['secrets', 'providers']);

/**
 * Creates a client whose methods of one group run in this process, by the same steps as in a worker. Its other methods
 * fail.
 *
 * @param because the exception of `WITHOUT_WORKER` that allows it
 * @param why reason without an engine, for errors of methods that need one
 * @throws unreachableError `no-worker` for the store of a team, except with `offline`
 */
export async function clientWithoutWorker(
  { home, env: given }: { home: Home; env: NodeJS.ProcessEnv },
  group: OwnGroup,
  because: Exclude<keyof typeof WITHOUT_WORKER, 'team' | 'copy'>,
  why: string,
): Promise<Client> {
  const env = await resolveEnvironment(home, given);
  if (STORED.has(group) && env.PROVISIONING_STORE && because !== 'offline') {
    throw unreachableError({
      code: 'no-worker',
      what: 'open the secrets',
      on: home.root,
      why: `commands open the store of a team only while its engine answers: ${why}`,
      hint: 'provisioning up; to read values without a worker: `secret get --offline`, `secret export --offline`',
    });
  }
  const opened = STORED.has(group) ? await openSecrets(home, env) : undefined;
  const engine = createEngine({
    temporal: noTemporal(home, why),
    taskQueue: '',
    stores: { ...storesElsewhere(home), ...(opened && { secrets: opened.secrets }) },
    beside: { home, env: given },
    backups: backupProgram({ ...given, PROVISIONING_HOME: home.root }),
  });
  const checksAnswers = env.PROVISIONING_CHECK_ANSWERS === '1';
  const caller = { engine, principal: createOwner(principal()), checksAnswers };
  const close = async () => opened?.close();
  return clientOver({ ...dispatcherOver(caller, await OWN_METHODS[group]()), close });
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
