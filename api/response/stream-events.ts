import { addAbortListener } from 'node:events';
import type { ReadableStreamDefaultController, UnderlyingSource } from 'node:stream/web';
import { describeProblem } from './problem.js';

/** Times in milliseconds, and sizes in bytes; tests have others. */
export interface StreamPace {
  /** Between two comments that keep proxies from ending the connection. */
  heartbeatMs: number;
  /** Between two checks whether the caller may still read. */
  checkMs: number;
  /** Time for which a caller may leave waiting bytes unread. */
  stalledMs: number;
  /** How long the response waits for the first event, so that an error has its own status. */
  firstMs: number;
  /** Until a client that was cut comes back. */
  retryMs: number;
  /** Bytes that may wait for a caller. The next event is made once the caller has read. */
  unread: number;
}

export const PACE: StreamPace = {
  ...{ heartbeatMs: 15_000, checkMs: 5_000, stalledMs: 60_000, firstMs: 1_000, retryMs: 2_000 },
  unread: 1024 * 1024,
};

export interface StreamOptions {
  /** The id of the request. */
  request: string;
  /** Ends the stream when the server stops: the client comes back, perhaps to another instance. */
  stop: AbortController;
  /** Throws when the caller may no longer read. */
  check(): Promise<unknown>;
  pace?: StreamPace | undefined;
  /** Called once, at the end, whatever ended it. */
  onEnd?(): void;
}

/**
 * Answers with the events of a method as server-sent events. `id:` is the event's cursor, from which any instance
 * continues. The last event is `end`, or `problem` with a problem of RFC 9457. A stream without such an event was cut,
 * and the client should continue it.
 *
 * @param open follows the method; its signal is aborted once the reader has left
 * @throws the error of the method if it fails before its first event
 */
export async function streamEvents(
  open: (signal: AbortSignal) => AsyncIterable<unknown>,
  { request, stop, check, pace = PACE, onEnd = () => {} }: StreamOptions,
): Promise<Response> {
  const events = open(stop.signal)[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<unknown>> | undefined = events.next();
  try {
    await Promise.race([next, new Promise((resolve) => setTimeout(resolve, pace.firstMs).unref())]);
  } catch (error) {
    stop.abort();
    onEnd();
    throw error;
  }
  // Rejections that come later are read by `pull`.
  next.catch(() => {});
  const source = createSource({ events, stop, request, pace, onEnd, check, first: next });
  next = undefined;
  return new Response(new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: pace.unread })), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}

interface Source extends Required<StreamOptions> {
  events: AsyncIterator<unknown>;
  first: Promise<IteratorResult<unknown>>;
  pace: StreamPace;
}

function createSource({ events, first, stop, request, pace, onEnd, check }: Source): UnderlyingSource<Uint8Array> {
  let coming: Promise<IteratorResult<unknown>> | undefined = first;
  let isOver = false;
  let readAt = Date.now();
  const timers: NodeJS.Timeout[] = [];

  function end(controller?: ReadableStreamDefaultController<Uint8Array>, last?: string): void {
    if (isOver) return;
    isOver = true;
    for (const timer of timers) clearInterval(timer);
    if (last !== undefined) controller?.enqueue(bytesOf(last));
    // One that was canceled cannot be closed again.
    if (controller?.desiredSize != null) controller.close();
    stop.abort();
    // It may wait forever for an event, and ends once it sees the signal.
    void events.return?.(undefined)?.catch(() => {});
    onEnd();
  }

  return {
    start(controller) {
      controller.enqueue(bytesOf(`retry: ${pace.retryMs}\n\n`));
      addAbortListener(stop.signal, () => end(controller));
      const beat = () => {
        const waits = (controller.desiredSize ?? 0) <= 0;
        if (!waits) controller.enqueue(bytesOf(':\n\n'));
        else if (Date.now() - readAt > pace.stalledMs) stop.abort();
      };
      const checkAgain = () => void check().catch((error: unknown) => end(controller, problemText(error, request)));
      timers.push(setInterval(beat, pace.heartbeatMs).unref(), setInterval(checkAgain, pace.checkMs).unref());
    },
    async pull(controller) {
      readAt = Date.now();
      try {
        coming ??= events.next();
        const { done, value } = await coming;
        coming = undefined;
        readAt = Date.now();
        if (isOver) return;
        if (done) end(controller, 'event: end\ndata: {}\n\n');
        else controller.enqueue(eventBytes(value));
      } catch (error) {
        end(controller, problemText(error, request));
      }
    },
    cancel: () => end(),
  };
}

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);

/** JSON has no line breaks outside of texts, and escapes those in them. */
function eventText(event: unknown): string {
  const cursor = (event as { cursor?: unknown } | null)?.cursor;
  const id = typeof cursor === 'string' && /^[\w+/=.:-]+$/.test(cursor) ? `id: ${cursor}\n` : '';
  return `${id}data: ${JSON.stringify(event)}\n\n`;
}

/** By their event, which all its followers share: it is written once for all of them. */
const written = new WeakMap<object, Uint8Array>();

function eventBytes(event: unknown): Uint8Array {
  if (typeof event !== 'object' || event === null) return bytesOf(eventText(event));
  const known = written.get(event);
  if (known) return known;
  const bytes = bytesOf(eventText(event));
  written.set(event, bytes);
  return bytes;
}

const problemText = (error: unknown, request: string): string =>
  `event: problem\ndata: ${JSON.stringify(describeProblem(error, request))}\n\n`;
