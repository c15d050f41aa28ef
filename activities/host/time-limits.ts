/** Milliseconds that a short script may take on a host: a mark that is set, a question that is asked. */
export const SHORT_MS = 20_000;

/** Milliseconds that the answer of a script may take to come back after its limit. */
export const RETURN_MS = 5_000;

/**
 * The command that reads a script from standard input and runs it as root.
 *
 * @param limitMs after which the host itself ends the script, with all that it started in
 *   its process group: to close a channel ends nothing there
 */
export function shellFor(isRoot: boolean, limitMs?: number): string[] {
  const limit = limitMs === undefined ? [] : ['timeout', '-k', '2', String(Math.max(1, Math.ceil(limitMs / 1000)))];
  return [...(isRoot ? [] : ['sudo', '-n']), ...limit, 'bash', '-s'];
}

/** What `timeout` ends with where the time was over: 124, or 137 where it had to kill. */
export const ENDED_BY_TIME: readonly number[] = [124, 137];
