import type * as z from 'zod';
import { bugError, messageOf, unreachableError } from '../../../sdk/index.js';
import { translateError } from '../errors.js';
import { type Budget, openBudget } from './budget.js';
import { page } from './shapes.js';

/** Time limit of a request, in milliseconds. */
const LIMIT_MS = 30_000;
/** Maximum size of a page. */
const PAGE = 50;

export type Query = Record<string, string | number | readonly (string | number)[]>;

/** Purpose of a request, for its error, and its signal. */
export interface RequestSubject {
  what: string;
  on: string;
  signal?: AbortSignal;
}

/** Calls of the API, with failures converted to our errors. There are no retries here. */
export interface Api {
  get<T>(shape: z.ZodType<T>, path: string, query: Query, about: RequestSubject): Promise<T>;
  post<T>(shape: z.ZodType<T>, path: string, body: object, about: RequestSubject): Promise<T>;
  put<T>(shape: z.ZodType<T>, path: string, body: object, about: RequestSubject): Promise<T>;
  /** Returns undefined if the resource is already deleted. */
  remove<T>(shape: z.ZodType<T>, path: string, about: RequestSubject): Promise<T | undefined>;
  /** Returns all pages of a list, whose field has the last part of `path` as its name. */
  list<T>(shape: z.ZodType<T>, path: string, query: Query, about: RequestSubject): Promise<T[]>;
  budget: Budget;
}

export function openApi({ endpoint, token }: { endpoint: string; token: string }): Api {
  const budget = openBudget();

  async function ask(
    method: string,
    path: string,
    query: Query,
    body: object | undefined,
    about: RequestSubject,
  ): Promise<unknown> {
    about.signal?.throwIfAborted();
    budget.spend({ what: about.what, on: about.on });
    const limit = AbortSignal.timeout(LIMIT_MS);
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${endpoint}/${path}${queryString(query)}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          'user-agent': 'provisioning',
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: about.signal ? AbortSignal.any([about.signal, limit]) : limit,
        redirect: 'error',
      });
      text = await response.text();
    } catch (error) {
      about.signal?.throwIfAborted();
      throw notReached(error, about, limit.aborted);
    }
    const answer = parsed(text);
    const retryAfterMs = budget.learn(response.headers, response.status === 429);
    if (!response.ok) throw refusal(response, answer, about, retryAfterMs);
    if (response.status !== 204 && answer === undefined) throw unreadable(response, text, about);
    return answer;
  }

  /** Validates only the fields of the answer that are needed. */
  function fitting<T>(shape: z.ZodType<T>, answer: unknown, { what, on }: RequestSubject): T {
    const result = shape.safeParse(answer);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    const why = `the answer does not match the API: ${issue?.path.join('.')}: ${issue?.message}`;
    throw bugError({ code: 'hetzner-answer', what, on, why });
  }

  const api: Api = {
    budget,
    get: async (shape, path, query, about) => fitting(shape, await ask('GET', path, query, undefined, about), about),
    post: async (shape, path, body, about) => fitting(shape, await ask('POST', path, {}, body, about), about),
    put: async (shape, path, body, about) => fitting(shape, await ask('PUT', path, {}, body, about), about),
    async remove(shape, path, about) {
      try {
        return fitting(shape, (await ask('DELETE', path, {}, undefined, about)) ?? {}, about);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async list(shape, path, query, about) {
      const field = path.slice(path.lastIndexOf('/') + 1);
      const rows = [];
      for (let number: number | null = 1; number !== null; ) {
        const answer = await ask('GET', path, { ...query, page: number, per_page: PAGE }, undefined, about);
        const items = (answer as Record<string, unknown>)[field];
        if (!Array.isArray(items))
          throw bugError({ code: 'hetzner-answer', what: about.what, on: about.on, why: `the answer has no ${field}` });
        rows.push(...items.map((item) => fitting(shape, item, about)));
        number = fitting(page, answer, about).meta.pagination.next_page;
      }
      return rows;
    },
  };
  return api;
}

function queryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(response: Response, answer: unknown, { what, on }: RequestSubject, retryAfterMs: number | undefined) {
  const { error } = (answer ?? {}) as {
    error?: { code?: unknown; message?: unknown; details?: { fields?: { name?: unknown }[] } | null };
  };
  const fields = (error?.details?.fields ?? []).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  const vendor = {
    code: typeof error?.code === 'string' ? error.code : 'none',
    message: typeof error?.message === 'string' ? error.message : 'the answer is empty or unreadable',
    status: response.status,
    request: response.headers.get('x-correlation-id') ?? undefined,
    fields,
  };
  return translateError(vendor, { what, on }, retryAfterMs === undefined ? {} : { retryAfterMs });
}

function unreadable(response: Response, text: string, { what, on }: RequestSubject) {
  const html = /^\s*</.test(text) || response.headers.get('content-type')?.includes('html');
  const why = html ? 'the answer is an HTML page instead of JSON' : 'the answer is incomplete JSON';
  return unreachableError({ code: 'hetzner-unreadable', what, on, why: `${why} [HTTP ${response.status}]` });
}

function notReached(error: unknown, { what, on }: RequestSubject, late: boolean) {
  const cause = (error as { cause?: { code?: string; message?: string } }).cause;
  const why = late
    ? `no answer within ${LIMIT_MS / 1000} s`
    : `the connection failed: ${cause?.code ?? cause?.message ?? messageOf(error)}`;
  return unreachableError({ code: 'hetzner-unreachable', what, on, why }, { cause: error });
}

export const isNotFound = (error: unknown): boolean => (error as { vendor?: { status?: number } }).vendor?.status === 404;
