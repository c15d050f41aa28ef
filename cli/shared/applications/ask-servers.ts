import { inputError } from '../../../core/errors.js';
import type { Session } from '../../program/session.js';
import { parseAskedScript } from '../../ssh/asked-script.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { runOnAll } from '../../ssh/run-on-all.js';
import { type Application, wrapAsRoot } from './applications.js';

/** Servers that are asked at a time. */
const PARALLEL = 10;
/** Seconds that each may take. */
const TIMEOUT_S = 60;

/**
 * Runs a script as root on each server of an application, by ssh.
 *
 * @returns what each printed, by server
 * @throws inputError `app-not-asked` where a server was not reached, or the script failed
 */
export async function askServers(
  session: Session,
  { inventory, servers, config }: Application,
  script: string,
  what: string,
): Promise<Map<string, string>> {
  const { folder: keys, remove } = await prepareKeys(session, inventory, servers);
  const asked = parseAskedScript(script);
  try {
    const runs = await runUntilSignal(async (signal) => {
      const how = { keys, what, parallel: PARALLEL, timeoutS: TIMEOUT_S, signal };
      // As root it is another command than by sudo.
      const commands = [...new Set(servers.map((server) => wrapAsRoot(server, asked.script)))];
      const runs = commands.map((command) => {
        const those = servers.filter((server) => wrapAsRoot(server, asked.script) === command);
        return runOnAll(those, how, [command]);
      });
      return (await Promise.all(runs)).flat();
    });
    const answers = runs.map((run) => ({ ...run, answer: asked.answer(run.stdout.text) }));
    const failed = answers.find(({ exit, answer }) => exit !== 0 || answer === undefined);
    if (failed) {
      const said = (asked.answer(failed.stderr.text) ?? failed.stderr.text).trim().split('\n').at(-1);
      const ended = failed.exit === 0 ? 'the login does not run commands' : `it ended with code ${failed.exit}`;
      throw inputError({
        code: 'app-not-asked',
        what,
        on: `${config.name} on ${failed.server}`,
        why: failed.why ?? (said || ended),
      });
    }
    return new Map(answers.map(({ server, answer = '' }) => [server, answer]));
  } finally {
    await remove();
  }
}
