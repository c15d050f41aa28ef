import { ProvisioningError } from '../../core/errors.js';
import { type Mirror, mirrorOf } from '../../core/taskserv/mirrors.js';
import { clipText } from '../../core/text.js';
import { busy, createMissingError, createNoAnswer, createNotGenuineError, reasonOf, unreadable } from '../upstream-errors.js';
import { readRetryAfter } from './rate-limit.js';

/** Validators of a response, for a conditional request. */
export interface Validators {
  etag?: string;
  lastModified?: string;
}

/** Response of a source. */
export interface WebAnswer {
  body: Buffer;
  validators: Validators;
  /** Whether there is another page. */
  more: boolean;
}

export interface WebRequest {
  /** Maximum size of the response, in bytes. */
  most: number;
  /** If the content has not changed, the source does not send it again. */
  validators?: Validators;
  accept?: string;
  /** Fetches the stored bytes without content encoding, since their hash is known. */
  raw?: boolean;
  /** Receives the chunks of the response, whose body is then empty. */
  take?(chunk: Buffer): void;
}

/** Client for the sources. */
export interface Web {
  /**
   * Fetches a vendor's file, from the mirror if there is one. Sends no credentials of this machine.
   *
   * @returns undefined if the file has not changed
   * @throws ProvisioningError `versions-not-answered`, `versions-limited`, `versions-unreadable`, `versions-missing`,
   *   `versions-not-genuine`
   */
  get(url: string, asked: WebRequest): Promise<WebAnswer | undefined>;
}

export interface WebOptions {
  mirrors?: readonly Mirror[];
  /** Maximum time without any data from a source, in milliseconds. */
  silentMs: number;
  /** Maximum time of a whole response, in milliseconds. Default: twenty times `silentMs`. */
  wholeMs?: number;
  /** Milliseconds since 1970. Default: now. */
  now?(): number;
}

/** Default of `wholeMs`, as a multiple of `silentMs`. */
const WHOLE = 20;
const REDIRECTS = 5;
/** Maximum length of a stored validator. */
const LONGEST_VALIDATOR = 500;

/** Creates a client that uses only HTTPS. It does not query a source until its rate limit ends. */
export function createWeb({ mirrors = [], silentMs, wholeMs = silentMs * WHOLE, now = Date.now }: WebOptions): Web {
  const limited = new Map<string, number>();
  return {
    async get(asked, how) {
      const url = checked(new URL(mirrorOf(asked, mirrors).url), asked);
      const until = limited.get(url.host) ?? 0;
      if (until > now()) throw busy(url.host, until - now(), new Date(until));
      try {
        return await within(url, how, { silentMs, wholeMs }, now);
      } catch (error) {
        if (error instanceof ProvisioningError && error.details.code === 'versions-limited')
          limited.set(url.host, now() + (error.details.retryAfterMs ?? 0));
        throw error;
      }
    },
  };
}

/** Reports whether a mirror is on this machine: it then needs no TLS. */
const isLoopback = ({ hostname }: URL): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

function checked(url: URL, asked: string): URL {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url;
  throw createNotGenuineError(
    new URL(asked).host,
    `its mirror ${url.host} does not use https: a third party could change the answer`,
  );
}

type Times = Required<Pick<WebOptions, 'silentMs' | 'wholeMs'>>;

/** Aborts a request that is silent for too long, or takes too long in total. */
async function within(url: URL, how: WebRequest, { silentMs, wholeMs }: Times, now: () => number): Promise<WebAnswer | undefined> {
  const stop = new AbortController();
  const silent = () => stop.abort(new Error(`it sent nothing for ${silentMs / 1_000} s`));
  const whole = setTimeout(() => stop.abort(new Error(`it took longer than ${wholeMs / 1_000} s`)), wholeMs);
  let timer = setTimeout(silent, silentMs);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(silent, silentMs);
  };
  try {
    const answer = await followed(url, how, stop.signal, heard);
    const waits = readRetryAfter(answer, now());
    if (waits !== undefined) throw busy(url.host, waits, new Date(now() + waits));
    if (answer.status === 304 && how.validators) return undefined;
    refuseStatus(url, answer);
    const body = await bodyOf(url, answer, how, heard);
    return { body, validators: validatorsOf(answer), more: /\brel="?next"?/.test(answer.headers.get('link') ?? '') };
  } catch (error) {
    if (error instanceof ProvisioningError) throw error;
    throw createNoAnswer(url.host, reasonOf(stop.signal.aborted ? stop.signal.reason : error));
  } finally {
    clearTimeout(timer);
    clearTimeout(whole);
    // Do not wait for the rest of the response.
    stop.abort();
  }
}

async function followed(url: URL, how: WebRequest, signal: AbortSignal, heard: () => void): Promise<Response> {
  const headers = headersOf(how);
  let at = url;
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const answer = await fetch(at, { headers, redirect: 'manual', signal });
    heard();
    const to = [301, 302, 303, 307, 308].includes(answer.status) ? answer.headers.get('location') : null;
    if (to === null) return answer;
    await answer.body?.cancel();
    if (!URL.canParse(to, at.href)) throw unreadable(url.host, 'it redirects to an invalid address');
    at = new URL(to, at);
    if (at.protocol !== 'https:')
      throw createNotGenuineError(
        url.host,
        `it redirects to ${clipText(at.host)} without TLS, where a third party could change the answer`,
      );
    if (at.username !== '' || at.password !== '') throw createNotGenuineError(url.host, 'it redirects to an address with a user');
  }
  throw unreadable(url.host, `it redirects more than ${REDIRECTS} times`);
}

const headersOf = ({ validators: { etag, lastModified } = {}, accept = '*/*', raw }: WebRequest): Record<string, string> => ({
  'user-agent': 'provisioning',
  accept,
  ...(raw && { 'accept-encoding': 'identity' }),
  ...(etag !== undefined && { 'if-none-match': etag }),
  ...(etag === undefined && lastModified !== undefined && { 'if-modified-since': lastModified }),
});

function validatorsOf({ headers }: Response): Validators {
  const [etag, lastModified] = ['etag', 'last-modified'].map((name) => headers.get(name) ?? undefined);
  const fits = (text: string | undefined): text is string => text !== undefined && text.length <= LONGEST_VALIDATOR;
  return { ...(fits(etag) && { etag }), ...(fits(lastModified) && { lastModified }) };
}

function refuseStatus({ host, pathname }: URL, { status }: Response): void {
  if (status === 200) return;
  if (status === 404 || status === 410) throw createMissingError(host, `there is nothing at ${clipText(pathname, 120)}`);
  if (status >= 400 && status < 500) throw createMissingError(host, `it refuses ${clipText(pathname, 120)} with status ${status}`);
  throw createNoAnswer(host, `it answers with status ${status}`);
}

async function bodyOf({ host }: URL, answer: Response, { most, take }: WebRequest, heard: () => void): Promise<Buffer> {
  const tooMuch = () => unreadable(host, `its answer is larger than ${Math.round(most / 1_000_000)} MB`);
  if (Number(answer.headers.get('content-length') ?? 0) > most) throw tooMuch();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    heard();
    size += part.length;
    if (size > most) throw tooMuch();
    if (take) take(Buffer.from(part));
    else parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts);
}
