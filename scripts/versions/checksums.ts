/**
 * Formats of a line: `HASH NAME`, where `*` or a folder may precede the name; or in BSD format, `SHA256 (NAME) =
 * HASH`.
 */
const LINES = [/^(?<hash>[0-9a-fA-F]{64})[ \t]+\*?(?<name>\S+)$/, /^SHA256 ?\((?<name>[^)]+)\) ?= ?(?<hash>[0-9a-fA-F]{64})$/];

/**
 * Returns the SHA-256 of a file from a vendor's list, or undefined if the list lacks it.
 *
 * @param alone whether the list covers only this file and may be a hash without a name.
 * @throws Error if it has two hashes of the file
 */
export function hashIn(list: string, name: string, alone: boolean): string | undefined {
  const lines = list.split(/\r?\n/).map((line) => line.trim());
  const found = new Set<string>();
  for (const line of lines) {
    const groups = LINES.map((form) => form.exec(line)?.groups).find((one) => one !== undefined);
    if (groups && groups.name?.split('/').at(-1) === name) found.add((groups.hash as string).toLowerCase());
  }
  const [only = '', ...more] = lines.filter((line) => line !== '');
  if (alone && found.size === 0 && more.length === 0 && /^[0-9a-fA-F]{64}$/.test(only)) found.add(only.toLowerCase());
  if (found.size > 1) throw new Error(`it lists two hashes of ${name}`);
  return [...found][0];
}
