/** Size of a block in a tar archive, in bytes. */
export const BLOCK = 512;

/** Content of a regular file's header. */
export interface TarHeader {
  name: string;
  /** In bytes. */
  size: number;
}

const NAME = /^[a-z0-9][a-z0-9./-]{0,98}$/;
const SIZE_AT = 124;
const SIZE_WIDTH = 12;
/** Limit of a size in octal digits. */
const MOST_OCTAL = 8 ** 11;
const FILE = '0';

/** Encodes the header of a regular file with mode 0600 (POSIX ustar). */
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
 * Reads a header. It accepts only headers of `encodeHeader`: regular files, whose names lead nowhere else.
 *
 * @returns undefined for the block of zeros that ends an archive
 * @throws Error with the reason of a rejection
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

/** Returns the sum of all bytes, with the checksum's own bytes counted as spaces. */
function checksum(block: Buffer): number {
  let sum = 8 * 0x20;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}
