import type { FlagsOf } from '../../command.js';
import type { How } from './make-environment.js';
import { checkJunit, type HOSTS, parseTtl, readTimeout, type STAY_OPTIONS, type TEST_OPTIONS } from './options.js';

type Flags = FlagsOf<typeof STAY_OPTIONS> & FlagsOf<typeof TEST_OPTIONS> & FlagsOf<typeof HOSTS>;

/**
 * Returns the options of an environment that stays by default.
 *
 * @throws inputError `bad-arguments`, `bad-report-file`
 */
export async function chooseStaying(flags: Flags): Promise<How> {
  const { autoStart = false, autoCleanup = false, keep, check, junit } = flags;
  const ttlMs = parseTtl(flags.ttl ?? '2h');
  await checkJunit(junit);
  // An environment is not removed without having been tested.
  const tests = autoStart || autoCleanup || junit !== undefined;
  return { ttlMs, tests, removes: autoCleanup, keep, check, junit, timeoutS: readTimeout(flags) };
}
