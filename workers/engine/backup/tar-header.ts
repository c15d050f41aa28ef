/** A tar archive is made of blocks of so many bytes. */
export const BLOCK = 512;

/** What the header of a regular file says. */
export interface TarHeader {
  name: string;
  /** In bytes. */
  size: number;
}

const NAME = /^[a-z0-9][a-z0-9./-]{0,98}$/;
const SIZE_AT = 124;
const SIZE_WIDTH = 12;
/** What fits into the octal digits of a size. */
const MOST_OCTAL = 8 ** 11;
const FILE = '0';

/** The header of a regular file of mode 0600 (POSIX ustar). */
export function encodeHeader({ name, size }: TarHeader, modified: Date): Buffer {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a valid name of an entry`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  if (size < MOST_OCTAL) block.write(octal(size, SIZE_WIDTH), SIZE_AT);
  else {
    // GNU's form of larger ones, which every tar reads.
    block.writeUInt8(0x80, SIZE_AT);
    block.writeBigUInt64BE(BigInt(size), SIZE_AT + SIZE_WIDTH - 8);
  }
  block.write(octal(Math.floor(modified.getTime() / 1000), 12), 136);
  block.write(FILE, 156);
  block.write('ustar\x0000', 257);
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/**
 * Reads a header. Only what `encodeHeader` writes is taken: regular files, whose names lead nowhere.
 *
 * @returns undefined for the block of zeros that ends an archive
 * @throws Error that says why it is not taken
 */
export function decodeHeader(block: Buffer): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (block.toString('latin1', 257, 262) !== 'ustar') throw new Error('it is not a tar archive');
  const told = Number.parseInt(block.toString('latin1', 148, 154), 8);
  if (told !== checksum(block)) throw new Error('the checksum of a header is wrong');
  const name = text(block, 0, 100);
  const type = block.toString('latin1', 156, 157);
  if (type !== FILE) throw new Error(`${JSON.stringify(name)} is not a regular file (type ${JSON.stringify(type)})`);
  if (text(block, 345, 155) !== '' || !NAME.test(name) || name.split('/').includes('..'))
    throw new Error(`${JSON.stringify(name)} is not a valid name of an entry`);
  const size =
    block[SIZE_AT] === 0x80
      ? Number(block.readBigUInt64BE(SIZE_AT + SIZE_WIDTH - 8))
      : Number.parseInt(text(block, SIZE_AT, SIZE_WIDTH).trim(), 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error(`the size of ${name} is not a number`);
  return { name, size };
}

/** How many bytes fill the last block of an entry. */
export const computePadding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

const text = (block: Buffer, at: number, width: number): string => block.toString('latin1', at, at + width).split('\0')[0] ?? '';

/** The sum of all bytes, those of the checksum itself counted as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}
