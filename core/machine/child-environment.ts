/**
 * What a program of the system needs of our environment to work as usual: where programs
 * and temporary files are, language and time zone, the way to the network. No credential.
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
 * The environment of a program that we start: of ours no more than it needs, since a
 * worker's holds keys, tokens and secrets.
 *
 * @param more set besides, over what is passed on
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
