/** File or link for an archive. */
export interface ArchiveEntry {
  /** Its path, in bytes. */
  path: Buffer;
  /** Mode of a file. */
  mode: number;
  /** Bytes of a file, or the target of a link. */
  content: Buffer;
  isLink: boolean;
}

const BLOCK = 512;
/** Blocks that tar writes at once. */
const RECORD = 20 * BLOCK;
const NAME = 100;

/**
 * Returns the archive that GNU tar makes from the same files with `--mtime=@0 --owner=0 --group=0 --numeric-owner
 * --mode=u+rw,go+r,go-w --format=gnu`, byte for byte. A separate program would read each file again by its name.
 */
export function packTar(files: readonly ArchiveEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const { path, mode, content, isLink } of files) {
    // The target comes first, as in tar.
    if (isLink && content.length > NAME) parts.push(...longName('K', content));
    if (path.length > NAME) parts.push(...longName('L', path));
    const bits = isLink ? 0o755 : ((mode & 0o777) | 0o644) & ~0o022;
    parts.push(
      header({ path, mode: bits, size: isLink ? 0 : content.length, type: isLink ? '2' : '0', link: isLink ? content : undefined }),
    );
    if (!isLink) parts.push(content, padding(content.length, BLOCK));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([...parts, padding(length, RECORD)]);
}

const padding = (length: number, unit: number): Buffer => Buffer.alloc((unit - (length % unit)) % unit);

/** Returns an additional entry for a name that is too long for its field. */
function longName(type: 'K' | 'L', name: Buffer): Buffer[] {
  const content = Buffer.concat([name, Buffer.alloc(1)]);
  return [
    header({ path: Buffer.from('././@LongLink'), mode: 0o644, size: content.length, type }),
    content,
    padding(content.length, BLOCK),
  ];
}

interface Header {
  path: Buffer;
  mode: number;
  size: number;
  type: string;
  link?: Buffer;
}

function header({ path, mode, size, type, link }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, digits: number) => block.write(value.toString(8).padStart(digits, '0'), offset);
  path.copy(block, 0, 0, NAME);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write(type, 156);
  link?.copy(block, 157, 0, NAME);
  block.write('ustar  ', 257);
  block.fill(' ', 148, 156);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
