import * as z from 'zod';
import { inputError } from '../core/errors.js';
import { isSetUp } from './key-entries.js';
import type { KeptKey } from './key-file.js';
import { BYTES } from './kms/key-wrapper.js';

/** What a recovery copy holds: enough to open all that a set-up has sealed. */
export interface RecoveryCopy {
  setUp: string;
  /** The wrapping keys of the machine, base64; for copies of `keys.json` that were wrapped by them. */
  wrapping: string[];
  keys: KeptKey[];
}

/** By what a copy is encrypted and opened. */
export type Lock = { passphrase: string } | { recipients: readonly string[] };
export type Opener = { passphrase: string } | { identities: readonly string[] };

/** 2^17 rounds take scrypt half a second and 128 MiB; a copy that asks for more than 2^18 is refused before that is taken. */
const WORK = 17;
const MOST_WORK = 18;

const key = z.string().refine((text) => Buffer.from(text, 'base64').length === BYTES);
const form = z.strictObject({
  provisioning: z.literal('recovery copy 1'),
  setUp: z.string().refine(isSetUp),
  wrapping: z.array(key),
  keys: z.array(z.strictObject({ id: z.string().min(1), since: z.string(), key })).min(1),
});

/**
 * The text of a recovery copy: an age file in armor, which `age -d` opens as well.
 *
 * @throws inputError `recovery-copy` for what is no recipient
 */
export async function sealRecoveryCopy({ setUp, wrapping, keys }: RecoveryCopy, lock: Lock): Promise<string> {
  const { armor, Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase);
    encrypter.setScryptWorkFactor(WORK);
  } else {
    for (const recipient of lock.recipients) {
      try {
        encrypter.addRecipient(recipient);
      } catch {
        throw inputError({
          code: 'recovery-copy',
          what: 'write the recovery copy',
          on: recipient,
          why: 'it is no age recipient',
          hint: 'age1…',
        });
      }
    }
  }
  const kept = keys.map(({ id, since, secret }) => ({ id, since, key: secret.toString('base64') }));
  const text = JSON.stringify({ provisioning: 'recovery copy 1', setUp, wrapping, keys: kept });
  return armor.encode(await encrypter.encrypt(text));
}

/**
 * What a recovery copy holds.
 *
 * @param on its path, for errors
 * @throws inputError `recovery-copy` where it is none, was altered, or the passphrase or identity is not the one
 */
export async function openRecoveryCopy(text: string, opener: Opener, on: string): Promise<RecoveryCopy> {
  const { armor, Decrypter } = await import('age-encryption');
  const bytes = inOrBad(() => armor.decode(text), on, 'it is no recovery copy');
  const [, work] = /^-> scrypt \S+ (\d+)$/m.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1')) ?? [];
  if (Number(work) > MOST_WORK) throw bad(on, `it asks for 2^${work} rounds of scrypt, more than this program would ever write`);
  const decrypter = new Decrypter();
  if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase);
  else for (const identity of opener.identities) decrypter.addIdentity(identity);
  const opened = await decrypter.decrypt(bytes, 'text').catch(() => {
    const which = 'passphrase' in opener ? 'passphrase' : 'identity';
    throw bad(
      on,
      `this ${which} does not open it, or it was altered`,
      work ? undefined : 'is it for an age recipient? --identity FILE',
    );
  });
  const { setUp, wrapping, keys } = inOrBad(() => form.parse(JSON.parse(opened)), on, 'what is in it is no recovery copy');
  return { setUp, wrapping, keys: keys.map(({ id, since, key }) => ({ id, since, secret: Buffer.from(key, 'base64') })) };
}

function inOrBad<T>(work: () => T, on: string, why: string): T {
  try {
    return work();
  } catch {
    // The parser's own words would quote what is in it.
    throw bad(on, why);
  }
}

const bad = (on: string, why: string, hint?: string) =>
  inputError({ code: 'recovery-copy', what: 'open the recovery copy', on, why, hint });
