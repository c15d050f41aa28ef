import type { FlagsOf } from '../../command.js';
import type { How } from './make-environment.js';
import { checkJunit, type HOSTS, parseTtl, readTimeout, type STAY_OPTIONS, type TEST_OPTIONS } from './options.js';

type Flags = FlagsOf<typeof STAY_OPTIONS> & FlagsOf<typeof TEST_OPTIONS> & FlagsOf<typeof HOSTS>;

/** How an environment is made that stays unless somebody says otherwise. @throws inputError `bad-arguments`, `bad-report-file` */
export async function chooseStaying(flags: Flags): Promise<How> {
  const { autoStart = false, autoCleanup = false, keep, check, junit } = flags;
  const ttlMs = parseTtl(flags.ttl ?? '2h');
  await checkJunit(junit);
  // Nothing is removed for having been tried that was not.
  const tests = autoStart || autoCleanup || junit !== undefined;
  return { ttlMs, tests, removes: autoCleanup, keep, check, junit, timeoutS: readTimeout(flags) };
}
