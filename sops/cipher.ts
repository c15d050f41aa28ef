import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { SopsFault } from './fault.js';
import { formatDecimal } from './scalars.js';
import { LEAF_TYPES, type Leaf, type LeafType } from './tree.js';

const ALGORITHM = 'aes-256-gcm';
/** Size of the initialization vector, as in `sops`. */
const IV_BYTES = 32;
const TAG_BYTES = 16;
const FORM = /^ENC\[AES256_GCM,data:([^,]+),iv:([^,]+),tag:([^,]+),type:([a-z]+)\]$/;

type SealedType = LeafType | 'comment';
export interface Plain {
  type: SealedType;
  data: Buffer;
}

export const isSealed = (text: string): boolean => FORM.test(text);

/** Cipher for the values of one file. An unchanged value keeps its former encrypted text. */
export class ValueCipher {
  readonly #key: Buffer;
  readonly #known = new Map<string, string[]>();

  constructor(dataKey: Buffer) {
    this.#key = dataKey;
  }

  /** @param context path of the value, so that it cannot be moved */
  decrypt(text: string, context: string): Plain {
    const [match, data = '', iv = '', tag = '', type = ''] = FORM.exec(text) ?? [];
    if (match === undefined) throw createTamperedFault('a value that should be encrypted is not');
    if (type !== 'comment' && !(LEAF_TYPES as readonly string[]).includes(type))
      throw createTamperedFault('a value has an unknown type');
    try {
      const bytes = bytesOf(tag);
      if (bytes.length !== TAG_BYTES) throw new Error('the tag is too short');
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytesOf(iv), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes);
      const plain = { type: type as SealedType, data: Buffer.concat([decipher.update(bytesOf(data)), decipher.final()]) };
      const known = this.#known.get(nameOf(plain, context));
      if (known) known.push(text);
      else this.#known.set(nameOf(plain, context), [text]);
      return normal(plain);
    } catch {
      throw createTamperedFault('a value was changed after it was encrypted');
    }
  }

  encrypt(plain: Plain, context: string): string {
    const known = this.#known.get(nameOf(plain, context));
    // Equal values of a list share a path: each gets one of their texts, in order.
    const former = known && known.length > 1 ? known.shift() : known?.[0];
    return former ?? this.encryptNew(plain, context);
  }

  /** Encrypts a value with a new initialization vector. */
  encryptNew({ type, data }: Plain, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(data), cipher.final()]);
    const parts = [sealed, iv, cipher.getAuthTag()].map((part) => part.toString('base64'));
    return `ENC[AES256_GCM,data:${parts[0]},iv:${parts[1]},tag:${parts[2]},type:${type}]`;
  }
}

const nameOf = ({ type, data }: Plain, context: string): string => `${type} ${data.toString('base64')} ${context}`;

/** Normalizes numbers and booleans, because other writers used other forms. */
function normal({ type, data }: Plain): Plain {
  const text = data.toString('latin1');
  if (type === 'int') return { type, data: Buffer.from(String(BigInt(text))) };
  if (type === 'float') return { type, data: Buffer.from(formatDecimal(Number(text))) };
  if (type === 'bool') return { type, data: Buffer.from(/^(?:1|t|T|true|TRUE|True)$/.test(text) ? 'True' : 'False') };
  return { type, data };
}

/** Decodes base64 in its canonical form only. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error('it is not base64');
  return bytes;
}

export const createTamperedFault = (why: string): SopsFault =>
  new SopsFault(
    'sops-tampered',
    `${why}: the file was changed by something that is not SOPS`,
    'restore it from a good copy, such as Git',
  );

export const plainOf = ({ type, data }: Leaf): Plain => ({ type, data });
