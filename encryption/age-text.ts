import type { Decrypter, Encrypter } from 'age-encryption';
import { inputError } from '../core/errors.js';

/** Passphrase or recipients that encrypt a text. */
export type Lock = { passphrase: string } | { recipients: readonly string[] };
export type Opener = { passphrase: string } | { identities: readonly string[] };

/** Kind of the encrypted text, for errors. */
export interface AgeKind {
  /** Error code. */
  code: 'sealed-file' | 'recovery-copy';
  /** Name for a person: `sealed file`. */
  name: string;
}

export const SEALED_FILE: AgeKind = { code: 'sealed-file', name: 'sealed file' };

/** 2^17 rounds of scrypt need half a second and 128 MiB. A file that requires more than 2^18 is refused before that. */
const WORK = 17;
const MOST_WORK = 18;

/**
 * Encrypts a text as an armored age file, for age recipients or with a passphrase. `age -d` can open it too.
 *
 * @param on destination, for errors. Default: the recipient
 * @throws inputError of the kind for an invalid age recipient
 */
export async function sealAgeText(text: string, lock: Lock, kind = SEALED_FILE, on?: string): Promise<string> {
  const { armor } = await import('age-encryption');
  return armor.encode(await (await createEncrypter(lock, kind, on)).encrypt(text));
}

/** Creates the program that encrypts for a lock. @throws inputError of the kind for an invalid age recipient */
export async function createEncrypter(lock: Lock, kind: AgeKind, on?: string): Promise<Encrypter> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  if ('passphrase' in lock) {
    encrypter.setPassphrase(lock.passphrase);
    encrypter.setScryptWorkFactor(WORK);
  } else {
    for (const recipient of lock.recipients) {
      try {
        encrypter.addRecipient(recipient);
      } catch {
        const given = recipient.slice(0, 100);
        const why = `"${given}" is not an age recipient`;
        throw inputError({ code: kind.code, what: `write the ${kind.name}`, on: on ?? given, why, hint: 'age1…' });
      }
    }
  }
  return encrypter;
}

/** Age file that was decoded and not yet opened. */
export interface AgeFile {
  bytes: Uint8Array;
  /** Whether a passphrase opens it, rather than an identity. */
  byPassphrase: boolean;
  kind: AgeKind;
}

/**
 * Reads the header of an age file.
 *
 * @param on its path, for errors
 * @throws inputError of the kind for other files, and for a work factor above the limit
 */
export async function readAgeFile(text: string, on: string, kind = SEALED_FILE): Promise<AgeFile> {
  const { armor } = await import('age-encryption');
  let bytes: Uint8Array;
  try {
    bytes = armor.decode(text);
  } catch {
    // The parser's own message would quote the content.
    throw notOpened(kind, on, `it is not a ${kind.name}, which is an age file`);
  }
  return { bytes, byPassphrase: checkWork(bytes, on, kind), kind };
}

/**
 * Returns whether a passphrase opens an age file.
 *
 * @param bytes its beginning
 * @throws inputError of the kind for a work factor above the limit
 */
export function checkWork(bytes: Uint8Array, on: string, kind = SEALED_FILE): boolean {
  const [, work] = /^-> scrypt \S+ (\d+)$/m.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1')) ?? [];
  if (Number(work) > MOST_WORK)
    throw notOpened(kind, on, `it asks for 2^${work} rounds of scrypt, more than this program would ever write`);
  return work !== undefined;
}

/**
 * Decrypts an age file.
 *
 * @throws inputError of the file's kind if the passphrase or the identities do not open it, or it was altered
 */
export async function openAgeFile({ bytes, byPassphrase, kind }: AgeFile, opener: Opener, on: string): Promise<string> {
  return (await createDecrypter(opener)).decrypt(bytes, 'text').catch(() => {
    throw refuseOpener({ byPassphrase, kind }, opener, on);
  });
}

/** Creates the program that decrypts with an opener. */
export async function createDecrypter(opener: Opener): Promise<Decrypter> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  if ('passphrase' in opener) decrypter.addPassphrase(opener.passphrase);
  else for (const identity of opener.identities) decrypter.addIdentity(identity);
  return decrypter;
}

/** Returns the error for a file that an opener does not open. */
export function refuseOpener({ byPassphrase, kind }: Omit<AgeFile, 'bytes'>, opener: Opener, on: string) {
  const which = 'passphrase' in opener ? 'the passphrase does' : 'the identities do';
  const hint = 'passphrase' in opener && !byPassphrase ? 'it is for an age recipient: --identity FILE' : undefined;
  return notOpened(kind, on, `${which} not open it, or it was altered`, hint);
}

const notOpened = ({ code, name }: AgeKind, on: string, why: string, hint?: string) =>
  inputError({ code, what: `open the ${name}`, on, why, hint });
