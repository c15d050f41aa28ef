/** Encodes an element in DER (X.690), as far as certificates need it. */

const tagged = (tag: number, content: Buffer): Buffer => {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  const short = bytes.subarray(bytes.findIndex((byte) => byte > 0));
  return Buffer.concat([Buffer.of(tag, 0x80 | short.length), short, content]);
};

export const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
export const set = (...parts: Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.of(value ? 0xff : 0));
export const octets = (content: Buffer): Buffer => tagged(0x04, content);
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));

/** Encodes a positive number with the minimum number of bytes. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte > 0);
  const short = first === -1 ? Buffer.of(0) : bytes.subarray(first);
  return tagged(0x02, (short[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), short]) : short);
}

/** @param unused number of unused last bits */
export const bits = (content: Buffer, unused = 0): Buffer => tagged(0x03, Buffer.concat([Buffer.of(unused), content]));

/** Encodes an element that is identified by its place: `[0] EXPLICIT`, which contains others. */
export const explicit = (place: number, content: Buffer): Buffer => tagged(0xa0 | place, content);
/** Encodes `[2] IMPLICIT`, which contains bytes. */
export const implicit = (place: number, content: Buffer): Buffer => tagged(0x80 | place, content);

/** @param text `1.2.840.10045.4.3.2` */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tagged(0x06, Buffer.from(bytes));
}

/** Encodes whole seconds; years from 2050 use another form (RFC 5280, 4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return at.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}
