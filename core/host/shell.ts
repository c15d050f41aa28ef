/** Text quoted so that a POSIX shell reads it back as one word, unchanged. */
export function quote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

type Word = string | number | readonly (string | number)[];

/**
 * A shell command with every interpolated value quoted; an array becomes
 * several words.
 *
 * @example sh`install -d -m ${mode} ${path}`
 */
export function sh(parts: TemplateStringsArray, ...words: Word[]): string {
  const quoted = words.map((word) => (Array.isArray(word) ? word.map((w) => quote(String(w))).join(' ') : quote(String(word))));
  return String.raw({ raw: parts.raw }, ...quoted).trim();
}

/**
 * Wraps a script in two marks, on standard output and standard error. Other output of a login shell, such as the
 * greeting of a .bashrc, comes before the first mark or after the second. For bash and dash. The exit code is the
 * script's.
 *
 * @param mark random, only for this call
 */
export function markScript(script: string, mark: string): string {
  // In two parts: a shell that repeats what it reads does not print the mark.
  const say = sh`printf %s%s ${mark.slice(0, 9)} ${mark.slice(9)}`;
  // csh, which may be the shell of a login, takes no quoted word of several lines.
  const between = /[\n#]/.test(script) ? '\n' : ' ';
  return `${say}; ${say} >&2; (${between}${script}${between}); code=$?; ${say}; ${say} >&2; exit $code`;
}

/** Output of a marked script, up to the end of a cut text. Undefined if the script did not begin. */
export const answerIn = (text: string, mark: string): string | undefined => text.split(mark)[1];

/**
 * Bash that lets systemd start units again that failed before. After five failures within ten seconds systemd refuses
 * each start, also one with the former files, as on the way back from a configuration with which a service ends at once.
 *
 * @param units words of a shell
 */
export const allowStart = (...units: string[]): string => `systemctl reset-failed ${units.join(' ')} 2>/dev/null || true`;
