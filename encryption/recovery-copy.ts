import * as z from 'zod';
import { inputError } from '../core/errors.js';
import { type AgeKind, type Lock, type Opener, openAgeFile, readAgeFile, sealAgeText } from './age-text.js';
import { isSetUp } from './key-entries.js';
import type { KeptKey } from './key-file.js';
import { BYTES } from './kms/key-wrapper.js';

/** Content of a recovery copy: everything needed to open what a set-up has sealed. */
export interface RecoveryCopy {
  setUp: string;
  /** Wrapping keys of the machine, base64; for copies of `keys.json` that they wrapped. */
  wrapping: string[];
  keys: KeptKey[];
}

const KIND: AgeKind = { code: 'recovery-copy', name: 'recovery copy' };

const key = z.string().refine((text) => Buffer.from(text, 'base64').length === BYTES);
const form = z.strictObject({
  provisioning: z.literal('recovery copy 1'),
  setUp: z.string().refine(isSetUp),
  wrapping: z.array(key),
  keys: z.array(z.strictObject({ id: z.string().min(1), since: z.string(), key })).min(1),
});

/**
 * Returns the text of a recovery copy: an age file.
 *
 * @throws inputError `recovery-copy` for an invalid recipient
 */
export async function sealRecoveryCopy({ setUp, wrapping, keys }: RecoveryCopy, lock: Lock): Promise<string> {
  const kept = keys.map(({ id, since, secret }) => ({ id, since, key: secret.toString('base64') }));
  const text = JSON.stringify({ provisioning: 'recovery copy 1', setUp, wrapping, keys: kept });
  return sealAgeText(text, lock, KIND);
}

/**
 * Opens a recovery copy.
 *
 * @param on its path, for errors
 * @throws inputError `recovery-copy` if it is another file, was altered, or the passphrase or identity is wrong
 */
export async function openRecoveryCopy(text: string, opener: Opener, on: string): Promise<RecoveryCopy> {
  const opened = await openAgeFile(await readAgeFile(text, on, KIND), opener, on);
  const { setUp, wrapping, keys } = parsed(opened, on);
  return { setUp, wrapping, keys: keys.map(({ id, since, key }) => ({ id, since, secret: Buffer.from(key, 'base64') })) };
}

function parsed(text: string, on: string): z.infer<typeof form> {
  try {
    return form.parse(JSON.parse(text));
  } catch {
    // The parser's own message would quote the content.
    const why = 'its content does not have the form of a recovery copy';
    throw inputError({ code: KIND.code, what: `open the ${KIND.name}`, on, why });
  }
}
