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
