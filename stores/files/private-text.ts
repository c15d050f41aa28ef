import type { Sealer } from './sealer.js';

/**
 * First line of a sealed file, before the base64. A file that begins differently was written by a former version, in
 * plain text.
 */
const SEALED = 'provisioning-sealed-1\n';

/** Format of private texts in files. */
export interface PrivateText {
  /** @param context the owner of the text: the text opens only with the same context */
  encode(text: string, context: string): Promise<string>;
  /** @throws inputError `unknown-encryption-key`, `sealed-altered` */
  decode(bytes: Uint8Array, context: string): Promise<string>;
}

/** Whether a file's bytes are sealed. */
export const isSealed = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, SEALED.length)).equals(Buffer.from(SEALED));

/** @param isSealing whether new texts should be sealed: not while a worker of a former version may read them */
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
