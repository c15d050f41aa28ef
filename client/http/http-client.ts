import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MethodPlace } from '../../app/method-place.js';
import { PLACES } from '../../app/method-places.generated.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { type Carrier, type Client, clientOver } from '../client.js';
import { buildRequest, type HttpRequest } from './build-request.js';
import type { ServerConnection } from './connection.js';
import { readEvents } from './read-events.js';
import { readProblem } from './read-problem.js';
import { asksKeys } from './repeat-changes.js';
import { BrokenConnection, createSender, type RequestParts, readText } from './send-request.js';
import { createFailures, type Failures } from './server-failures.js';

/**
 * How long an end is waited for by one request, in seconds: a proxy may cut a connection on which nothing has moved for ten. And
 * how long the server may be silent then, in milliseconds.
 */
const WAIT_S = 8;
const WAIT_SILENT_MS = 45_000;
/** A stream has a comment every 15 seconds: after three missing comments the connection counts as lost. */
const STREAM_SILENT_MS = 45_000;
/**
 * Time for which requests to a busy server are retried, and the longest pause between two requests, in milliseconds.
 */
const BUSY_MS = 60_000;
const MOST_WAIT_MS = 15_000;
/**
 * Number of consecutive connections that brought no event and were short, and the duration of a short one in
 * milliseconds: longer ones were only quiet.
 */
const FRUITLESS = 10;
const LASTING_MS = 5_000;

type Places = Readonly<Record<string, MethodPlace>>;

/** Data of one call that its request needs. */
interface CallRequest extends HttpRequest {
  method: string;
  place: MethodPlace;
}

/**
 * Creates the client of an API server. It connects at the first call. A change is sent once. If its answer is lost,
 * the call fails with `answer-lost`, unless the server supports keys by which it recognizes the same change. A stream
 * that is cut continues after its last event.
 */
export const httpClient = (connection: ServerConnection): Client => clientOver(createHttpCarrier(connection));

/**
 * Creates the same for methods with these places.
 *
 * @param lastingMs duration after which a connection counts as sound; tests use a shorter one
 */
export function createHttpCarrier(connection: ServerConnection, places: Places = PLACES, lastingMs = LASTING_MS): Carrier {
  const sender = createSender(connection);
  const failures = createFailures(connection.url);
  const hasKeys = asksKeys(sender);

  /** The response to a request, which is one of the platform's and no problem. */
  async function respond(asked: CallRequest, more: Pick<RequestParts, 'headers' | 'signal' | 'silentMs'>) {
    const { verb, path, body, place } = asked;
    let key: string | undefined = place.safe ? undefined : randomUUID();
    const sent = { verb, path, ...(body !== undefined && { body }), alone: !place.safe, ...more };
    let isRepeated = false;
    for (const began = Date.now(); ; ) {
      try {
        const keyed: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
        const response = await sender.send({ ...sent, headers: { accept: ANSWER_TYPES, ...keyed, ...more.headers } });
        await refuseProblem(asked, response, failures);
        return response;
      } catch (error) {
        if (error instanceof BrokenConnection) {
          const mayRepeat = error.sent && key !== undefined && !isRepeated && (await hasKeys());
          if (!mayRepeat) throw failures.broken(asked, error);
          isRepeated = true;
          continue;
        }
        const wait = waitAfter(error);
        if (wait !== undefined && Date.now() - began < BUSY_MS)
          await sleep(wait, undefined, more.signal && { signal: more.signal });
        // A method whose answer is a secret accepts no key: nothing was done.
        else if (codeOf(error) === 'idempotency-key-refused' && key !== undefined) key = undefined;
        else throw error;
      }
    }
  }

  async function call(method: string, input: unknown): Promise<unknown> {
    const asked = askedOf(places, method, input);
    const more = asked.place.waits ? { headers: { prefer: `wait=${WAIT_S}` }, silentMs: WAIT_SILENT_MS } : {};
    for (;;) {
      const response = await respond(asked, more);
      const text = await readText(response).catch((error: BrokenConnection) => {
        throw failures.broken(asked, error);
      });
      // The end has not come yet.
      if (asked.place.waits && response.statusCode === 202) continue;
      // JSON has no undefined: an absent answer is sent as null.
      return text === '' ? undefined : (parse(text, () => failures.strange(asked, response)) ?? undefined);
    }
  }

  async function* stream(method: string, input: unknown, { signal }: { signal?: AbortSignal }): AsyncGenerator<unknown> {
    const asked = askedOf(places, method, input);
    let last: string | undefined;
    for (let fruitless = 0; !signal?.aborted; ) {
      const response = await respond(asked, {
        ...(last !== undefined && { headers: { 'last-event-id': last } }),
        ...(signal && { signal }),
        silentMs: STREAM_SILENT_MS,
      }).catch((error: unknown) => {
        if (!signal?.aborted) throw error;
      });
      if (!response) return;
      fruitless++;
      const opened = Date.now();
      try {
        for await (const { event, id, data } of readEvents(response.setEncoding('utf8') as AsyncIterable<string>)) {
          if (signal?.aborted || event === 'end') return;
          if (event === 'problem') throw readProblem(data ?? '') ?? failures.strange(asked, response);
          if (event !== 'message' || data === undefined) continue;
          const value = parse(data, () => failures.strange(asked, response));
          last = id ?? last;
          fruitless = 0;
          yield value;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof ProvisioningError) throw error;
      } finally {
        response.destroy();
      }
      // A proxy may cut a stream without events repeatedly: that is not a fault.
      if (Date.now() - opened >= lastingMs) fruitless = 0;
      if (!asked.place.resumes || fruitless >= FRUITLESS)
        throw failures.broken(asked, new BrokenConnection(true, 'the stream was cut'));
      if (fruitless > 0) await sleep(fruitless * 200, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }

  return { call, stream, close: async () => sender.close() };
}

const ANSWER_TYPES = 'application/json, application/problem+json, text/event-stream';

function askedOf(places: Places, method: string, input: unknown): CallRequest {
  const place = places[method];
  if (place) return { method, place, ...buildRequest(method, place, input) };
  throw inputError({ code: 'unknown-call', what: 'call the method', on: method, why: 'there is no such method' });
}

async function refuseProblem(asked: CallRequest, response: IncomingMessage, failures: Failures): Promise<void> {
  const status = response.statusCode ?? 0;
  const [type = ''] = (response.headers['content-type'] ?? '').split(';');
  const isOurs = status === 204 || ['application/json', 'text/event-stream', 'application/problem+json'].includes(type);
  if (isOurs && status < 300) return failures.answered();
  const problem = type === 'application/problem+json' ? readProblem(await readText(response)) : undefined;
  if (problem) failures.answered();
  else response.resume();
  throw problem ?? failures.strange(asked, response);
}

const codeOf = (error: unknown): string | undefined => (error instanceof ProvisioningError ? error.details.code : undefined);

/** Codes of calls that the client retries later: nothing was done, or the same change is still running. */
const LATER: ReadonlySet<string | undefined> = new Set(['idempotency-key-in-use', 'rate-limited']);

/**
 * Returns the pause after an error before the call may be repeated, in milliseconds; undefined if a repetition is
 * useless.
 */
function waitAfter(error: unknown): number | undefined {
  if (!(error instanceof ProvisioningError) || !LATER.has(error.details.code)) return undefined;
  const { retryAfterMs = 1_000 } = error.details;
  return retryAfterMs <= MOST_WAIT_MS ? retryAfterMs : undefined;
}

function parse(text: string, strange: () => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw strange();
  }
}
