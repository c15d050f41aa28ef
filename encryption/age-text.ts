import { inputError } from '../core/errors.js';
import type { Lock, Opener } from './recovery-copy.js';

/** 2^17 rounds take scrypt half a second and 128 MiB; a file that asks for more than 2^18 is refused before that is taken. */
const WORK = 17;
const MOST_WORK = 18;

/**
 * Encrypts a text as an age file in armor, for age recipients or by a passphrase.
 *
 * @throws inputError `sealed-file` for a text that is not an age recipient
 */
export async function sealAgeText(text: string, lock: Lock, on: string): Promise<string> {
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
        throw ageFault('write the sealed file', on, `"${recipient.slice(0, 100)}" is not an age recipient`, 'age1…');
      }
    }
  }
  return armor.encode(await encrypter.encrypt(text));
}

/** A file of age, decoded and not yet opened. */
export interface AgeFile {
  bytes: Uint8Array;
  /** Whether a passphrase opens it, rather than an identity. */
  byPassphrase: boolean;
}

/**
 * Reads the header of an age file.
 *
 * @param on its path, for errors
 * @throws inputError `sealed-file` if it is not an age file, or asks for more work than this program would
 */
export async function readAgeFile(text: string, on: string): Promise<AgeFile> {
  const { armor } = await import('age-encryption');
  let bytes: Uint8Array;
  try {
    bytes = armor.decode(text);
  } catch {
    throw ageFault(OPEN, on, 'it is not a sealed file of age');
  }
  const [, work] = /^-> scrypt \S+ (\d+)$/m.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1')) ?? [];
  if (Number(work) > MOST_WORK)
    throw ageFault(OPEN, on, `it asks for 2^${work} rounds of scrypt, more than this program would ever write`);
  return { bytes, byPassphrase: work !== undefined };
}

/**
 * Decrypts an age file.
 *
 * @throws inputError `sealed-file` if the passphrase or the identities do not open it, or it was altered
 */
export async function openAgeFile({ bytes }: AgeFile, opener: Opener, on: string): Promise<string> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase);
  else for (const identity of opener.identities) decrypter.addIdentity(identity);
  const which = 'passphrase' in opener ? 'the passphrase does' : 'the identities do';
  return decrypter.decrypt(bytes, 'text').catch(() => {
    throw ageFault(OPEN, on, `${which} not open it, or it was altered`);
  });
}

const OPEN = 'open the sealed file';

const ageFault = (what: string, on: string, why: string, hint?: string) => inputError({ code: 'sealed-file', what, on, why, hint });
