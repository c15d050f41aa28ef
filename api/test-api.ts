import { addAbortListener } from 'node:events';
import * as z from 'zod';
import { createDispatcher } from '../app/dispatch.js';
import type { Engine } from '../app/engine.js';
import { type AnyMethod, method, stream } from '../app/method.js';
import type { Principal } from '../app/principal.js';
import { inputError } from '../core/errors.js';
import { type Api, type ApiOptions, createApi } from './create-api.js';

const thing = z.string().min(1);
const resource = () => ({ type: 'Tenant', id: '*' }) as const;

/** Calls of the test methods, and the ends of their streams. */
export interface MethodLog {
  calls: { name: string; input: unknown; actor: string }[];
  aborted: string[];
}

/** Creates methods of each form that the API distinguishes. */
export function createTestMethods(heard: MethodLog): Record<string, AnyMethod> {
  const note = (name: string, actor: string, input: unknown) => heard.calls.push({ name, actor, input });
  const all: AnyMethod[] = [
    method({
      name: 'things.list',
      summary: 'List things',
      input: z.strictObject({
        limit: z.int().optional(),
        marks: z.array(z.string()).optional(),
        all: z.boolean().optional(),
        filter: z.strictObject({ colour: z.string().optional() }).optional(),
      }),
      output: z.unknown(),
      permission: { action: 'thing:read', resource },
      errors: [],
      run: async ({ principal }, input) => {
        note('things.list', principal.actor, input);
        return { items: [], input };
      },
    }),
    method({
      name: 'things.get',
      summary: 'Show a thing',
      input: z.strictObject({ thing }),
      output: z.strictObject({ thing: z.string() }),
      permission: { action: 'thing:read', resource },
      errors: ['unknown-infra'],
      run: async ({ principal }, input) => {
        note('things.get', principal.actor, input);
        if (input.thing === 'broken') throw new Error('the password is hunter2');
        if (input.thing === 'text') throw 'no error at all';
        if (input.thing === 'gone')
          throw inputError({ code: 'unknown-infra', what: 'find the thing', on: 'gone', why: 'there is no such thing' });
        if (input.thing === 'cloud')
          throw inputError({ code: 'credentials', what: 'ask the cloud', why: 'it refuses the credentials' });
        return { thing: input.thing };
      },
    }),
    method({
      name: 'things.change',
      summary: 'Change a thing',
      input: z.strictObject({
        thing,
        request: z.looseObject({ actor: z.string().optional() }).optional(),
        why: z.string().optional(),
      }),
      output: z.void(),
      permission: { action: 'thing:change', resource },
      errors: [],
      run: async ({ principal }, input) => {
        note('things.change', principal.actor, input);
      },
    }),
    method({
      name: 'things.result',
      summary: 'Wait for a thing',
      input: z.strictObject({ thing }),
      output: z.strictObject({ done: z.boolean() }),
      permission: { action: 'thing:read', resource },
      errors: [],
      run: (_, input, { signal }) =>
        input.thing === 'ended'
          ? Promise.resolve({ done: true })
          : new Promise((_, reject) => {
              addAbortListener(signal as AbortSignal, () => {
                heard.aborted.push(input.thing);
                reject(new Error('ended'));
              });
            }),
    }),
    stream({
      name: 'things.follow',
      summary: 'Follow a thing',
      input: z.strictObject({ thing, after: z.string().optional() }),
      output: z.strictObject({ cursor: z.string(), at: z.int(), text: z.string().optional() }),
      permission: { action: 'thing:read', resource },
      errors: ['bad-cursor'],
      async *run(_, { thing, after }, { signal }) {
        if (after === 'bad') throw inputError({ code: 'bad-cursor', what: 'continue the stream', why: 'the text is not a cursor' });
        try {
          const from = after === undefined ? 0 : Number(after.slice(1));
          const last = thing === 'long' ? 500 : 3;
          for (let at = from + 1; at <= last; at++) {
            heard.calls.push({ name: 'event', actor: '', input: at });
            yield { cursor: `c${at}`, at, ...(thing === 'long' && { text: 'x'.repeat(10_000) }) };
          }
          if (thing === 'endless')
            await new Promise<void>((resolve) => void addAbortListener(signal as AbortSignal, () => resolve()));
          if (thing === 'breaks') throw new Error('the password is hunter2');
        } finally {
          heard.aborted.push(thing);
        }
      },
    }),
  ];
  return Object.fromEntries(all.map((one) => [one.name, one]));
}

/** The token of a principal with all rights, in tests. */
export const TOKEN = 'prov_1_good';

export const ann: Principal = { actor: 'ann@desk', owner: true, may: () => true };

/** Creates a server in this process with the methods of tests, and their log. */
export function createTestApi(more: Partial<ApiOptions> = {}) {
  const heard: MethodLog = { calls: [], aborted: [] };
  const logged: string[] = [];
  const methods = more.methods ?? createTestMethods(heard);
  const api: Api = createApi({
    methods,
    dispatcherFor: (principal) => createDispatcher({ engine: {} as Engine, principal }, methods),
    principalOf: async (bearer) => (bearer === TOKEN ? ann : undefined),
    version: { version: '1.2.3', build: 'abc' },
    ready: async () => {},
    log: (line) => logged.push(line),
    ...more,
  });
  /** Sends a request like a program, with the token unless the headers override it. */
  const ask = async (verb: string, path: string, { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {}) =>
    api.fetch(
      new Request(`http://localhost${path}`, {
        method: verb,
        ...init,
        headers: { host: 'localhost', authorization: `Bearer ${TOKEN}`, ...headers },
        ...(init.body != null && { duplex: 'half' }),
      } as RequestInit),
    );
  const json = (body: unknown, headers: Record<string, string> = {}) => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { api, ask, json, heard, logged };
}

/** The code of a problem, with its status. */
export async function problemIn(response: Response): Promise<string> {
  const { code, status } = (await response.json()) as { code: string; status: number };
  if (status !== response.status) throw new Error(`the problem says ${status}, the response ${response.status}`);
  return `${response.status} ${code}`;
}
