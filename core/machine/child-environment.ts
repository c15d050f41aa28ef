/**
 * Environment variables that a program of the system needs: paths, temporary files, language, time zone and proxies.
 * No credentials.
 */
const PASSED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'TZ',
  'LANG',
  'LANGUAGE',
  /^LC_[A-Z]+$/,
  /^(?:https?|ftp|all|no)_proxy$/i,
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/**
 * Returns the environment of a started program. It has only the needed variables, because a worker's environment has
 * keys, tokens and secrets.
 *
 * @param more further variables, which override inherited ones
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const passed = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && PASSED_ON.some((known) => (typeof known === 'string' ? known === name : known.test(name)))
      ? [[name, value]]
      : [],
  );
  return { ...Object.fromEntries(passed), ...more };
}
