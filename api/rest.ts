import type { Dispatcher } from '../app/dispatcher.js';
import type { Principal } from '../app/principal.js';
import { inputError } from '../core/errors.js';
import { readBody, refuseBody } from './request/read-body.js';
import { readIfMatch } from './request/read-if-match.js';
import { readInput } from './request/read-input.js';
import { readKey } from './request/read-key.js';
import { readPreference } from './request/read-preference.js';
import { refuseIfMatch, respondJson, respondTagged } from './response/entity-tag.js';
import { type StreamPace, streamEvents } from './response/stream-events.js';
import type { StreamPlaces } from './response/stream-places.js';
import type { RouteFinder } from './routes/match-route.js';
import type { Route } from './routes/route.js';

/** Context in which requests are answered. */
export interface RestOptions {
  find: RouteFinder;
  dispatcherFor(principal: Principal, address?: string): Dispatcher;
  places: StreamPlaces;
  pace?: StreamPace | undefined;
}

/** A request of a known caller. */
export interface CallerRequest {
  path: string;
  query: string;
  /** Its id. */
  request: string;
  principal: Principal;
  /** That it came from. */
  address?: string | undefined;
  /** Throws if the caller has lost its permission. */
  check(): Promise<unknown>;
}

export const PREFIX = '/v1';
/** Interval after which a missing end may be requested again, in seconds. */
const AGAIN_S = '1';

/** Runs the method of a request. @throws the error of the request or of the method */
export async function answerMethod(serving: RestOptions, request: Request, asked: CallerRequest): Promise<Response> {
  const { route, parameters } = findRoute(serving.find, request.method, asked.path);
  const hasBody = route.verb === 'POST' || route.verb === 'PUT';
  if (!hasBody) refuseBody(request.headers);
  const body = hasBody ? await readBody(request.body, request.headers) : undefined;
  const input = readInput(route, { parameters, query: asked.query, body });
  const expected = readIfMatch(request.headers, route.method.name);
  if (expected && !route.method.edits) throw refuseIfMatch(route.method.name);
  const dispatcher = serving.dispatcherFor(asked.principal, asked.address);
  if (route.method.kind === 'stream') return follow(serving, dispatcher, { route, input, request, asked });
  if (route.waits) return answerInTime(dispatcher, { route, input, request });
  const key = hasBody || route.verb === 'DELETE' ? readKey(request.headers) : undefined;
  let version: string | undefined;
  const onVersion = (tag: string) => {
    version = tag;
  };
  const options = { signal: request.signal, key, expected, ...(route.verb === 'GET' && { onVersion }) };
  const answer = await dispatcher.call(route.method.name, input, options);
  return route.verb === 'GET' && !route.isEmpty ? respondTagged(jsonOf(answer), request.headers, version) : respond(route, answer);
}

function findRoute(find: RouteFinder, verb: string, path: string) {
  const { byVerb } = find(path.startsWith(`${PREFIX}/`) ? path.slice(PREFIX.length) : '');
  const found = byVerb.get(verb);
  if (found) return found;
  if (byVerb.size === 0) {
    const hint = 'GET /openapi.json lists all paths';
    throw inputError({ code: 'unknown-call', what: 'answer the request', why: 'the server has no such path', hint });
  }
  const allow = [...byVerb.keys()].sort().join(', ');
  const why = `the path does not take this verb; it takes ${allow}`;
  throw Object.assign(inputError({ code: 'verb-not-allowed', what: 'answer the request', why }), { headers: { allow } });
}

function respond(route: Route, answer: unknown): Response {
  if (route.isEmpty) return new Response(null, { status: 204 });
  return respondJson(jsonOf(answer));
}

/** JSON has no undefined: an absent answer is sent as null. */
const jsonOf = (answer: unknown): string => JSON.stringify(answer ?? null);

interface Running {
  route: Route;
  input: Record<string, unknown>;
  request: Request;
}

/** Waits up to the caller's time limit. Without an end by then the answer is 202, and the wait ends. */
async function answerInTime(dispatcher: Dispatcher, { route, input, request }: Running): Promise<Response> {
  const { seconds, applied } = readPreference(request.headers);
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), seconds * 1_000);
  });
  const signal = AbortSignal.any([stop.signal, request.signal]);
  const ended = dispatcher.call(route.method.name, input, { signal }).then((answer) => ({ answer }));
  // It fails when its wait is ended.
  ended.catch(() => {});
  try {
    const first = await Promise.race([ended, late]);
    const response =
      first === 'late'
        ? Response.json({ ended: false }, { status: 202, headers: { 'retry-after': AGAIN_S } })
        : respond(route, first.answer);
    if (applied) response.headers.set('preference-applied', applied);
    return response;
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

async function follow(
  { places, pace }: RestOptions,
  dispatcher: Dispatcher,
  { route, input, request, asked }: Running & { asked: CallerRequest },
): Promise<Response> {
  const last = request.headers.get('last-event-id');
  // A client that reconnects requests the same URL: its last seen event has precedence.
  const from = last !== null && 'after' in route.fields.properties ? { ...input, after: last } : input;
  const { stop, leave } = places.take(asked.principal.actor);
  const options = { request: asked.request, check: asked.check, stop, pace, onEnd: leave };
  return streamEvents((signal) => dispatcher.stream(route.method.name, from, { signal }), options);
}
