import { access, constants, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { TestScript } from '../../../core/environment/test-environment.js';
import { inputError } from '../../../core/errors.js';
import { duration } from '../../../core/schema/fields.js';
import { readText, reasonOf } from '../../../definition/source/read-text.js';
import type { FlagsOf, OptionSpec } from '../../command.js';

/** Maximum bytes of a script. */
const SCRIPT = 65_536;
const MOST_SCRIPTS = 50;
/** Default time limit of a script on a host, in seconds. */
const TIMEOUT_S = 300;
const LEAST_TTL_S = 60;
const MOST_TTL_S = 7 * 24 * 3_600;

/** Options of tests. */
export const TEST_OPTIONS = [
  { flags: '--script <file>', about: 'script to run on each host as root; can be repeated', repeated: true },
  { flags: '--timeout <seconds>', about: `time limit of a script on a host (default: ${TIMEOUT_S})`, number: true },
  { flags: '--junit <file>', about: 'file for the results as JUnit XML' },
] as const satisfies readonly OptionSpec[];

/** Options for hosts and their time to live. */
export const HOSTS = [
  { flags: '--memory <size>', about: 'memory of each host, such as 768MiB (default: the memory of its plan, 2GiB)' },
  { flags: '--cpus <count>', about: 'cores of each host (default: the cores of its plan, 1)', number: true },
  { flags: '--ttl <duration>', about: 'lifetime, such as 45m or 8h; then the environment is always removed' },
] as const satisfies readonly OptionSpec[];

/** Options of an environment that stays after the command. */
export const STAY_OPTIONS = [
  { flags: '--name <name>', about: 'name of the environment (default: a new name)' },
  { flags: '--auto-start', about: 'run its tests after the creation' },
  { flags: '--auto-cleanup', about: 'remove it after its tests' },
  { flags: '--keep', about: 'with --auto-cleanup: keep it after a failure, until its time is over' },
  { flags: '--check', about: 'show what would be created, and stop' },
] as const satisfies readonly OptionSpec[];

/** Options for a single taskserv. */
export const SINGLE = [
  { flags: '--version <version>', about: 'version of the taskserv (default: its default version)' },
  { flags: '--config <key=value>', about: 'value of its configuration; can be repeated', repeated: true },
  { flags: '--config-file <file>', about: 'file with its configuration (default: the example of the taskserv)' },
  { flags: '--image <name>', about: 'image of the host' },
] as const satisfies readonly OptionSpec[];

const bad = (on: string, why: string, hint?: string) =>
  inputError({ code: 'bad-arguments', what: 'read the command line', on, why, ...(hint && { hint }) });

/**
 * Parses a time to live.
 *
 * @returns milliseconds
 * @throws inputError `bad-arguments`
 */
export function parseTtl(text: string): number {
  const parsed = duration('1 h').safeParse(text);
  if (!parsed.success) throw bad(`--ttl ${text}`, 'write a time as 45m, 8h or 2d');
  if (parsed.data >= LEAST_TTL_S && parsed.data <= MOST_TTL_S) return parsed.data * 1_000;
  throw bad(`--ttl ${text}`, 'an environment can stay from 1 minute to 7 days');
}

/**
 * Reads the scripts of the command line.
 *
 * @throws inputError `bad-arguments`, `bad-script`
 */
export async function scriptsIn(files: readonly string[] = []): Promise<TestScript[]> {
  if (files.length > MOST_SCRIPTS) throw bad('--script', `there are ${files.length} scripts, at most ${MOST_SCRIPTS} are allowed`);
  return Promise.all(
    files.map(async (file) => {
      const text = await readText(file, SCRIPT);
      const why = typeof text === 'string' ? (text.trim() === '' ? 'the file is empty' : undefined) : text.message;
      if (typeof text === 'string' && why === undefined) return { name: basename(file).slice(0, 80), text };
      const hint = typeof text === 'string' ? undefined : text.suggestion;
      throw inputError({ code: 'bad-script', what: 'read the script', on: file, why: why ?? '', ...(hint && { hint }) });
    }),
  );
}

export const readTimeout = ({ timeout = TIMEOUT_S }: FlagsOf<typeof TEST_OPTIONS>): number => timeout;

/**
 * Checks that the report can be written, before anything is created.
 *
 * @throws inputError `bad-report-file`
 */
export async function checkJunit(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const refuse = (why: string) => inputError({ code: 'bad-report-file', what: 'write the report', on: file, why });
  await access(dirname(resolve(file)), constants.W_OK).catch((error: unknown) => {
    throw refuse(`its folder: ${reasonOf(error).message}`);
  });
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw refuse('it is a directory');
}
