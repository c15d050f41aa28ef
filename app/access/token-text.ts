import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes of the random secret. */
const SECRET_BYTES = 32;
/** Number of digits: id, secret (256 bits) and checksum (32 bits). */
const [ID, SECRET, CHECK] = [16, 43, 6];

/** `prov_ID_SECRETCHECKSUM`: only letters, digits and underscores, so that a double click selects all of it. */
const TOKEN = new RegExp(`^prov_([0-9A-Za-z]{${ID}})_([0-9A-Za-z]{${SECRET}})([0-9A-Za-z]{${CHECK}})$`);

/** Parts of a token that the platform stores. */
export interface TokenParts {
  id: string;
  /** SHA-256 of the secret, in base64url: 256 random bits need no slow hash. */
  hash: string;
}

/** A new token. Its text exists nowhere else. */
export function createTokenText(): TokenParts & { text: string } {
  const id = digitsOf(randomBytes(SECRET_BYTES), ID);
  const secret = digitsOf(randomBytes(SECRET_BYTES), SECRET);
  return { id, hash: hashSecret(secret), text: `prov_${id}_${secret}${checksum(id, secret)}` };
}

/** The parts of a token; undefined if the text was not made by `createTokenText`. */
export function parseToken(text: string): TokenParts | undefined {
  const [, id, secret, check] = TOKEN.exec(text) ?? [];
  if (id === undefined || secret === undefined || check !== checksum(id, secret)) return undefined;
  return { id, hash: hashSecret(secret) };
}

/** SHA-256 of a random secret, in base64url. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Whether two hashes are equal, in a time that does not depend on them. */
export function equalHashes(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A random text that people can type: five groups of four, without letters that look alike, 100 bits. */
export function createCode(): string {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  const text = [...randomBytes(20)].map((byte) => letters[byte % letters.length]).join('');
  return (text.match(/.{4}/g) as string[]).join('-');
}

/** Returns a checksum. It detects mistyped tokens, and lets scanners of sources recognize tokens. */
const checksum = (id: string, secret: string): string =>
  digitsOf(createHash('sha256').update(`${id}_${secret}`).digest().subarray(0, 4), CHECK);

/** A number in base 62: its last digits. */
function digitsOf(bytes: Buffer, count: number): string {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let at = 0; at < count; at++) {
    text = DIGITS[Number(number % 62n)] + text;
    number /= 62n;
  }
  return text;
}
