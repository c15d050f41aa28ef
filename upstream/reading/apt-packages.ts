/** Maximum length of a line, in characters: no more is buffered. */
const LONGEST_LINE = 1_000_000;
/** Maximum number of packages in a list: Debian has seventy thousand. */
const MOST = 1_000_000;

/** Versions by package name. */
export type PackageVersions = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a package list (`Packages`) as a stream, without storing it.
 *
 * @param wanted names of the packages to keep. Default: all
 * @throws Error if a line is too long, or the list has too many packages
 */
export async function aptPackages(chunks: AsyncIterable<Buffer>, wanted?: ReadonlySet<string>): Promise<PackageVersions> {
  const found = new Map<string, string[]>();
  const decoder = new TextDecoder();
  let rest = '';
  let count = 0;
  let name: string | undefined;
  let version: string | undefined;
  const end = () => {
    if (name !== undefined && version !== undefined) {
      const known = found.get(name);
      if (known) known.push(version);
      else if (wanted?.has(name) ?? true) found.set(name, [version]);
      if (++count > MOST) throw new Error(`it has more than ${MOST} packages`);
    }
    name = undefined;
    version = undefined;
  };
  const read = (line: string) => {
    if (line.trim() === '') end();
    else if (line.startsWith('Package: ')) name = line.slice('Package: '.length).trim();
    else if (line.startsWith('Version: ')) version = line.slice('Version: '.length).trim();
  };
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new Error('one of its lines has no end');
    for (const line of lines) read(line);
  }
  read(rest);
  end();
  return found;
}
