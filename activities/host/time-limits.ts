/** Milliseconds that a short script may take on a host: a mark that is set, a question that is asked. */
export const SHORT_MS = 20_000;

/** Milliseconds that the answer of a script may take to come back after its limit. */
export const RETURN_MS = 5_000;

/**
 * The command that reads `script` from standard input and runs it as root: its arguments say nothing of it but its
 * length. `bash -s` would ask for each byte by itself, which takes a second of a script that brings a MiB along. One
 * that arrives in part is not run, and it cannot see itself, with the values of secrets, among its variables.
 *
 * @param limitMs after which the host itself ends the script, with all that it started in
 *   its process group: to close a channel ends nothing there
 */
export function shellFor(isRoot: boolean, script: string, limitMs?: number): string[] {
  const limit = limitMs === undefined ? [] : ['timeout', '-k', '2', String(Math.max(1, Math.ceil(limitMs / 1000)))];
  // As bytes, of which the shell leaves out NUL.
  const length = Buffer.byteLength(script.replaceAll('\0', ''));
  const run = `LC_ALL=C IFS= read -rN ${length} script && eval "unset script; $script"`;
  // Where standard input is a socket, bash with `-c` reads .bashrc unless it is told not to.
  // What sudo says is read in English.
  return [...(isRoot ? [] : ['env', 'LC_ALL=C', 'sudo', '-n']), ...limit, 'bash', '--norc', '-c', run];
}

/** What `timeout` ends with where the time was over: 124, or 137 where it had to kill. */
export const ENDED_BY_TIME: readonly number[] = [124, 137];
