import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { inputError, messageOf, unreachableError } from '../../core/errors.js';
import { sizeText } from '../../core/limits.js';
import type { GuardedAnswer, GuardedFetch } from '../network/guarded-fetch.js';
import { answerFrom } from './answer-from.js';

/** An artifact, and where it is fetched. */
export interface ArtifactSource {
  url: string;
  /** 64 hexadecimal digits. */
  sha256: string;
}

/** How an artifact is fetched. */
export interface FetchOptions {
  /** Bytes that it may have. */
  most: number;
  /** Milliseconds without a byte after which it is given up. */
  idleMs: number;
  signal: AbortSignal;
  fetch: GuardedFetch;
  /** @param done bytes that are there @param total bytes of the whole, where the server says it */
  onProgress(done: number, total?: number): void;
}

/**
 * Fetches an artifact into a file that may already have its beginning, and continues there if the server can. The
 * complete file has the wanted hash.
 *
 * @throws inputError `artifact-refused`, after which the file is empty; unreachableError `artifact-not-fetched`, after
 * which the partial file stays for the next attempt
 */
export async function fetchInto(file: FileHandle, wanted: ArtifactSource, how: FetchOptions): Promise<void> {
  const { size } = await file.stat();
  if (size > how.most) await file.truncate(0);
  const resumed = size > 0 && size <= how.most;
  const found = await fetchedHash(file, wanted, how);
  if (found === wanted.sha256) return;
  const page = await isPage(file);
  await file.truncate(0);
  // The partial file may have been the beginning of another file.
  if (resumed && (await fetchedHash(file, wanted, how)) === wanted.sha256) return;
  await file.truncate(0);
  // Its hash is not said: who may define infras would learn what pages hold that only this machine reaches.
  throw refused(
    wanted,
    `it sent something else than the artifact${page ? ', a web page' : ''}: the SHA-256 is not ${wanted.sha256}`,
  );
}

/** Fetches what is missing. @returns the hash of the whole */
async function fetchedHash(
  file: FileHandle,
  wanted: ArtifactSource,
  { most, idleMs, signal, fetch, onProgress }: FetchOptions,
): Promise<string> {
  const { hash, size } = await whatIsThere(file);
  const stop = new AbortController();
  const idle = setTimeout(() => stop.abort(new Error(`nothing has come for ${idleMs / 1000} s`)), idleMs);
  try {
    const either = AbortSignal.any([signal, stop.signal]);
    const response = await answerFrom(wanted.url, size, either, fetch).catch((error: unknown) => {
      throw notFetched(wanted, stop.signal.aborted ? stop.signal.reason : error);
    });
    // It has no more than there is already: the hash tells whether that is all.
    if (response.status === 416 && size > 0) return await closed(response, hash.digest('hex'));
    if (![200, 206].includes(response.status)) throw await closed(response, refusedByStatus(wanted, response));
    const begins = response.status === 206 ? beginOf(response) : 0;
    if (begins !== 0 && begins !== size)
      throw await closed(response, notFetched(wanted, new Error('it resumes at another position')));
    // A compressed answer has another length.
    const isPlain = response.headers.get('content-encoding') === null;
    const length = Number((isPlain && response.headers.get('content-length')) || Number.NaN);
    const total = Number.isFinite(length) ? begins + length : undefined;
    if (total !== undefined && total > most) throw await closed(response, tooLarge(wanted, most));
    if (begins === 0) await file.truncate(0);
    const sum = begins === 0 ? createHash('sha256') : hash;
    let done = begins;
    const chunks = (response.body ?? new ReadableStream<Uint8Array>({ start: (empty) => empty.close() })).values();
    for (;;) {
      const { done: ended, value } = await chunks.next().catch((error: unknown) => {
        throw notFetched(wanted, stop.signal.aborted ? stop.signal.reason : error);
      });
      if (ended) break;
      idle.refresh();
      if (done + value.byteLength > most) {
        await file.truncate(0);
        throw await closed(response, tooLarge(wanted, most), chunks);
      }
      await writeAt(file, value, done);
      sum.update(value);
      done += value.byteLength;
      onProgress(done, total);
    }
    if (total !== undefined && done < total) throw notFetched(wanted, new Error(`it ended after ${done} of ${total} bytes`));
    return sum.digest('hex');
  } finally {
    clearTimeout(idle);
    stop.abort();
  }
}

/** The hash of what an earlier try has left, to go on with, and its size in bytes. */
async function whatIsThere(file: FileHandle): Promise<{ hash: Hash; size: number }> {
  const hash = createHash('sha256');
  const part = Buffer.alloc(1 << 20);
  let size = 0;
  for (;;) {
    const { bytesRead } = await file.read(part, 0, part.length, size);
    if (bytesRead === 0) return { hash, size };
    hash.update(part.subarray(0, bytesRead));
    size += bytesRead;
  }
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.byteLength) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written);
    written += bytesWritten;
  }
}

/** Begin of a part of a file: `bytes 100-199/200`. */
const beginOf = (response: GuardedAnswer): number =>
  Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? -1);

async function isPage(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0);
  return /<(!doctype|html)/i.test(buffer.subarray(0, bytesRead).toString('latin1'));
}

/** Discards the rest of an answer, then returns the result. */
async function closed<T>(response: GuardedAnswer, said: T, chunks?: { return?(): Promise<unknown> }): Promise<T> {
  await (chunks?.return?.() ?? response.body?.cancel())?.catch(() => {});
  return said;
}

/** Answers that another try may get otherwise. */
const PASSING = new Set([408, 425, 429]);

function refusedByStatus(wanted: ArtifactSource, response: GuardedAnswer): Error {
  const { status } = response;
  if (status < 500 && !PASSING.has(status)) return refused(wanted, `the server answers ${status}`);
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  return notFetched(
    wanted,
    new Error(`the server answers ${status}`),
    Number.isFinite(after) ? Math.min(after, 300) * 1000 : undefined,
  );
}

const WHAT = 'fetch the artifact for the host';
const HINT = 'name a mirror that has it, in `mirrors`, or let the host fetch it: artifacts: on-host';

const refused = ({ url }: ArtifactSource, why: string) =>
  inputError({ code: 'artifact-refused', what: WHAT, on: url, why, hint: HINT });

const tooLarge = (wanted: ArtifactSource, most: number) => refused(wanted, `it is larger than ${sizeText(most)}`);

/** A classified error stays. Any other error is one of the network. */
function notFetched({ url }: ArtifactSource, error: unknown, retryAfterMs?: number): Error {
  if (error instanceof Error && 'details' in error) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const details = { code: 'artifact-not-fetched', what: WHAT, on: url, why: messageOf(cause), hint: HINT };
  return unreachableError({ ...details, ...(retryAfterMs !== undefined && { retryAfterMs }) }, { cause: error });
}
