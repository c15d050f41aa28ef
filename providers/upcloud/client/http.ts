import * as z from 'zod';
import { parseJson } from './answer.js';
import { UpCloudError } from './error.js';

export type Credentials = { token: string } | { username: string; password: string };

/** Answer, as received and as parsed. */
export interface InspectedAnswer {
  method: string;
  /** With the query. */
  path: string;
  status: number;
  json: unknown;
  value: unknown;
  /** The value as JSON again, equal to `json` if nothing was lost. */
  written(): unknown;
}

export interface UpCloudOptions {
  credentials: Credentials;
  /** Default `https://api.upcloud.com/1.3`; `/1.3` is added without a path. */
  endpoint?: string;
  /** Time limit of a request, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** User agent: `my-tool/1.0`. */
  userAgent?: string;
  /** Function that sends requests, for example to delay them. Default: the global one. */
  fetch?: typeof fetch;
  /** For tests and tools: receives every successful answer. */
  inspect?: (answer: InspectedAnswer) => void;
}

export interface CallOptions {
  /** Aborts the request, which then throws the signal's reason. */
  signal?: AbortSignal;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Query = readonly (readonly [name: string, value: string])[];

interface Call<A extends z.ZodType> {
  query?: Query;
  /** Body, already in its JSON form: see `written`. */
  body?: unknown;
  answer: A;
  options?: CallOptions;
}

export interface Http {
  send<A extends z.ZodType>(method: Method, path: string, call: Call<A>): Promise<z.output<A>>;
  /** Sends a request whose answer is not needed. */
  tell(method: Method, path: string, call?: Omit<Call<z.ZodType>, 'answer'>): Promise<void>;
}

const DEFAULT_ENDPOINT = 'https://api.upcloud.com/1.3';
const DEFAULT_TIMEOUT_MS = 60_000;

/** Opens a client without retries. Throws `UpCloudError`. */
export function openHttp(options: UpCloudOptions): Http {
  const base = baseOf(options.endpoint ?? DEFAULT_ENDPOINT);
  const headers = {
    accept: 'application/json',
    authorization: authorizationOf(options.credentials),
    'user-agent': options.userAgent ?? 'upcloud-client',
  };

  async function send<A extends z.ZodType>(method: Method, path: string, call: Call<A>): Promise<z.output<A>> {
    const query = new URLSearchParams(call.query?.map((pair): [string, string] => [...pair])).toString();
    const url = `${base.origin}${base.path}${path}${query && `?${query}`}`;
    const request = `${method} ${base.path}${path}`;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const limit = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const caller = call.options?.signal;
    let answer: { status: number; headers: Headers; text: string };
    try {
      const response = await (options.fetch ?? fetch)(url, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        body,
        // A redirect to another server would forward our request.
        redirect: 'manual',
        signal: caller ? AbortSignal.any([caller, limit]) : limit,
      });
      answer = { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      caller?.throwIfAborted();
      throw limit.aborted ? timedOut(request, options.timeoutMs ?? DEFAULT_TIMEOUT_MS) : noAnswer(request, error);
    }
    const json = parseJson({ request, ...answer });
    const read = z.safeDecode(call.answer, json as z.input<A>);
    if (!read.success) throw json === undefined ? nothing(request, answer.status) : unexpected(request, answer.status, read.error);
    options.inspect?.({
      method,
      path: `${base.path}${path}${query && `?${query}`}`,
      status: answer.status,
      json,
      value: read.data,
      written: () => z.encode(call.answer, read.data),
    });
    return read.data;
  }

  return {
    send,
    tell: async (method, path, call = {}) => void (await send(method, path, { ...call, answer: z.unknown() })),
  };
}

/** Encodes a part of a path. The colons of IPv6 addresses stay. */
export const segment = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':');

function baseOf(endpoint: string): { origin: string; path: string } {
  const url = new URL(endpoint);
  const path = url.pathname.replace(/\/+$/, '');
  return { origin: url.origin, path: path === '' ? '/1.3' : path };
}

function authorizationOf(credentials: Credentials): string {
  if ('token' in credentials) {
    if ('username' in credentials || 'password' in credentials)
      throw new TypeError('either a token or a user name with password, not both');
    return `Bearer ${credentials.token}`;
  }
  const bytes = new TextEncoder().encode(`${credentials.username}:${credentials.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

const timedOut = (request: string, ms: number) =>
  new UpCloudError({ kind: 'timeout', request, code: 'TIMEOUT', reason: `no answer within ${ms / 1_000} s` });

function noAnswer(request: string, error: unknown): UpCloudError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const reason = cause instanceof Error ? cause.message.replace(/\s+/g, ' ') : 'no answer';
  return new UpCloudError({
    kind: 'network',
    request,
    code: 'NETWORK',
    reason: code && !reason.includes(code) ? `${reason} (${code})` : reason,
  });
}

const nothing = (request: string, status: number) =>
  new UpCloudError({ kind: 'unreadable', request, code: `HTTP_${status}`, status, reason: 'answered with nothing' });

/** Names the first unexpected fields, never their values. */
function unexpected(request: string, status: number, error: z.ZodError): UpCloudError {
  const fields = error.issues.slice(0, 3).map((issue) => issue.path.join('.') || 'the answer');
  const reason = `the answer is not of the known form: ${fields.join(', ')}`;
  return new UpCloudError({ kind: 'unexpected', request, code: 'UNEXPECTED', status, reason });
}
