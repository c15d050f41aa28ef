import { chooseContext } from '../../client/http/connection.js';
import { inputError } from '../../core/errors.js';
import type { Session } from './session.js';

const KEYS = 'it moves keys of a home, and no method returns a key';

/**
 * Commands that work on the engine or the files of one machine and therefore not through a server, with the reason. A
 * group represents its commands. All other commands call methods or use only files of the user.
 */
export const HERE_ONLY: Readonly<Record<string, string>> = {
  up: 'it starts the engine of this machine',
  down: 'it stops the engine of this machine',
  serve: 'it starts a server beside the engine of this machine',
  status: 'it examines the engine of this machine (`whoami` and `fleet status` ask the server)',
  'logs engine': 'it reads a file of this machine',
  'logs worker': 'it reads a file of this machine',
  ui: "it reads Temporal's histories with the keys of this machine",
  'backup restore': 'it fills a home on this machine',
  'store migrate': 'it moves the state of a home on this machine',
  'key export': KEYS,
  'key import': KEYS,
  member: KEYS,
};

/** Returns the reason why a command works only on this machine, or undefined if it works through a server too. */
export const hereOnly = (command: string): string | undefined =>
  [command, command.split(' ')[0] ?? ''].map((key) => (Object.hasOwn(HERE_ONLY, key) ? HERE_ONLY[key] : undefined)).find(Boolean);

/**
 * Rejects a command that works only on this machine while a context is active. It would act on a different platform
 * than the commands before and after it.
 *
 * @throws inputError `needs-this-machine`
 */
export function checkPlace(command: string, session: Pick<Session, 'home' | 'env'>): void {
  const why = hereOnly(command);
  const context = why === undefined ? undefined : chooseContext(session);
  if (!context) return;
  const { name, url } = context;
  throw inputError({
    code: 'needs-this-machine',
    what: `run ${command}`,
    on: name === undefined ? url : `context ${name}`,
    why: `${why}, and commands ask ${url} now`,
    hint: `run it on the machine of the engine; for the engine of this machine: provisioning ${command} --context local`,
  });
}
