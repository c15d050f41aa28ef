import type { Sealer } from './sealer.js';

/** What a sealed file begins with; the rest is base64. What begins otherwise was written by a former version, as it is. */
const SEALED = 'provisioning-sealed-1\n';

/** How private texts stand in their files. */
export interface PrivateText {
  /** @param context whose text it is: it opens as that alone */
  encode(text: string, context: string): Promise<string>;
  /** @throws inputError `unknown-encryption-key`, `sealed-altered` */
  decode(bytes: Uint8Array, context: string): Promise<string>;
}

/** Whether a file's bytes are sealed. */
export const isSealed = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, SEALED.length)).equals(Buffer.from(SEALED));

/**
 * @param isSealing whether what is written now is to be sealed: not while a worker of a former version may read it
 */
export const privateText = (sealer: Sealer, isSealing: () => Promise<boolean> = async () => true): PrivateText => ({
  async encode(text, context) {
    if (!(await isSealing())) return text;
    const cipher = await sealer();
    return `${SEALED}${cipher.seal(Buffer.from(text), context).toString('base64')}\n`;
  },
  async decode(bytes, context) {
    const text = Buffer.from(bytes).toString('utf8');
    if (!isSealed(bytes)) return text;
    const cipher = await sealer();
    return (await cipher.open(Buffer.from(text.slice(SEALED.length), 'base64'), context)).toString('utf8');
  },
});
