/** File or (without content) folder in an archive; owned by root. */
export interface TarEntry {
  /** Without a leading slash. */
  path: string;
  mode: number;
  content?: string;
}

const BLOCK = 512;

/** Creates a POSIX tar archive of a few short files for Docker's archive calls. Paths have at most 100 bytes. */
export function tar(entries: readonly TarEntry[], modified = new Date()): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(entry, content.length, modified), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header({ path, mode, content }: TarEntry, size: number, modified: Date): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  const folder = content === undefined;
  block.write(folder ? `${path}/` : path, 0, 100);
  block.write(octal(mode, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(Math.floor(modified.getTime() / 1000), 12), 136);
  block.write('        ', 148);
  block.write(folder ? '5' : '0', 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Returns the content of the first file in an archive; undefined if it has no file. */
export function firstFile(archive: Buffer): string | undefined {
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8) || 0;
    const type = archive.toString('latin1', at + 156, at + 157);
    if (type === '0' || type === '\0') return archive.toString('utf8', at + BLOCK, at + BLOCK + size);
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return undefined;
}
