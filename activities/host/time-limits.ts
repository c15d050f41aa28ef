/** Milliseconds that a short script may take on a host: a mark that is set, a question that is asked. */
export const SHORT_MS = 20_000;

/** Milliseconds that the answer of a script may take to come back after its limit. */
export const RETURN_MS = 5_000;

/**
 * Command that reads `script` from standard input and runs it as root. Its arguments show only the script's length.
 * `bash -s` would read each byte separately, which takes a second for a script with a MiB. An incomplete script does
 * not run. The script cannot see itself, with the values of secrets, among its variables.
 *
 * @param limitMs time after which the host itself ends the script with its process group, because closing a channel
 * ends nothing there
 */
export function shellFor(isRoot: boolean, script: string, limitMs?: number): string[] {
  const limit = limitMs === undefined ? [] : ['timeout', '-k', '2', String(Math.max(1, Math.ceil(limitMs / 1000)))];
  // As bytes, of which the shell leaves out NUL.
  const length = Buffer.byteLength(script.replaceAll('\0', ''));
  const run = `LC_ALL=C IFS= read -rN ${length} script && eval "unset script; $script"`;
  // If standard input is a socket, bash with `-c` reads .bashrc unless an option prevents it. sudo's messages must be
  // English.
  return [...(isRoot ? [] : ['env', 'LC_ALL=C', 'sudo', '-n']), ...limit, 'bash', '--norc', '-c', run];
}

/** Exit codes of `timeout` after the limit: 124, or 137 if it had to kill. */
export const ENDED_BY_TIME: readonly number[] = [124, 137];
