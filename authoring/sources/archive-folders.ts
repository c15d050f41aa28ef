const BLOCK = 512;

/** Returns the folders of a Git archive, as paths without a final slash. */
export function foldersIn(archive: Buffer): Set<string> {
  const folders = new Set<string>();
  let longer: string | undefined;
  let at = 0;
  while (at + BLOCK <= archive.length && archive[at] !== 0) {
    const text = (from: number, length: number) =>
      archive.toString('utf8', at + from, at + from + length).replace(/\0[\s\S]*$/, '');
    const size = Number.parseInt(text(124, 12), 8) || 0;
    const kind = text(156, 1);
    // A preceding entry holds a name that is too long for the header.
    if (kind === 'x') longer = pathIn(archive.subarray(at + BLOCK, at + BLOCK + size));
    else if (kind !== 'g') {
      const path = longer ?? [text(345, 155), text(0, 100)].filter(Boolean).join('/');
      if (kind === '5') folders.add(path.replace(/\/$/, ''));
      longer = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return folders;
}

/** Returns the path in a list of `LENGTH KEY=VALUE` lines. Each length includes itself. */
function pathIn(records: Buffer): string | undefined {
  for (let at = 0; at < records.length; ) {
    const length = Number.parseInt(records.toString('latin1', at, at + 12), 10);
    if (!(length > 0)) return undefined;
    const record = records.toString('utf8', at, at + length - 1);
    const path = /^\d+ path=([\s\S]*)$/.exec(record)?.[1];
    if (path !== undefined) return path;
    at += length;
  }
  return undefined;
}
