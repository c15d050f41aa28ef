import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { checkWork, createDecrypter, createEncrypter, type Lock, type Opener, refuseOpener, SEALED_FILE } from './age-text.js';

/** Bytes at the beginning of a file, which have its kind. */
const HEAD = 200;

/**
 * Encrypts a stream as an age file without armor, piece by piece.
 *
 * @param on destination, for errors
 * @throws inputError `sealed-file` for an invalid age recipient
 */
export async function* sealAgeStream(content: AsyncIterable<Uint8Array>, lock: Lock, on: string): AsyncGenerator<Uint8Array> {
  const encrypter = await createEncrypter(lock, SEALED_FILE, on);
  yield* await encrypter.encrypt(toStream(Readable.from(content, { objectMode: false })));
}

/** An age file without armor. */
export interface AgeStream {
  path: string;
  byPassphrase: boolean;
}

/**
 * Reads the header of an age file.
 *
 * @returns undefined for a file with armor, or of another kind
 * @throws inputError `sealed-file` for a work factor above the limit
 */
export async function findAgeStream(path: string): Promise<AgeStream | undefined> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    const head = buffer.subarray(0, bytesRead);
    if (!head.toString('latin1').startsWith('age-encryption.org/v1\n')) return undefined;
    return { path, byPassphrase: checkWork(head, path) };
  } finally {
    await file.close();
  }
}

/**
 * Decrypts an age file piece by piece. Each piece is authentic; the end is missing in a file that was cut, which is an
 * error as well.
 *
 * @throws inputError `sealed-file` if the opener does not open it, or it was altered
 */
export async function* openAgeStream({ path, byPassphrase }: AgeStream, opener: Opener): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  try {
    yield* await (await createDecrypter(opener)).decrypt(toStream(file));
  } catch {
    throw refuseOpener({ byPassphrase, kind: SEALED_FILE }, opener, path);
  } finally {
    file.destroy();
  }
}

const toStream = (source: Readable): ReadableStream<Uint8Array> => Readable.toWeb(source) as unknown as ReadableStream<Uint8Array>;
