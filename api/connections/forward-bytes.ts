import { addAbortListener } from 'node:events';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createWebSocketStream, type WebSocket } from 'ws';

/** Times in milliseconds; tests have others. */
export interface ConnectionPace {
  /** Between two pings, which keep proxies from ending the connection. */
  ping: number;
  /** How long a caller may leave pings unanswered. */
  lost: number;
  /** Between two checks whether the caller may still be connected, and whether bytes were forwarded. */
  check: number;
  /** How long nothing may be forwarded. */
  idle: number;
}

export const CONNECTION_PACE: ConnectionPace = { ping: 15_000, lost: 60_000, check: 5_000, idle: 10 * 60_000 };

/** Bytes that wait for the slower side, in each direction; the faster side is paused. */
const WAITING = 256 * 1024;
/** How long a caller may take to close its side, in milliseconds. */
const CLOSE_MS = 2_000;

/** Codes of a WebSocket's end: the registered ones, and our own from 4000 on. */
export const END = { done: 1000, stopping: 1012, refused: 4401, idle: 4408 } as const;

interface Forwarding {
  /** Aborts when the server stops. */
  signal: AbortSignal;
  /** Throws when the caller may no longer be connected. */
  check(): Promise<unknown>;
  pace: ConnectionPace;
}

/**
 * Forwards bytes between a caller and a host, and closes both sides at the end. It ends if one side ends, the caller
 * loses its permission, or nothing was forwarded for a while.
 */
export async function forwardBytes(caller: WebSocket, host: Socket, { signal, check, pace }: Forwarding): Promise<void> {
  const stream = createWebSocketStream(caller, { readableHighWaterMark: WAITING, writableHighWaterMark: WAITING });
  let heard = Date.now();
  let moved = { bytes: 0, at: Date.now() };
  let isOver = false;
  const end = (code: number, why: string) => {
    if (isOver) return;
    isOver = true;
    host.destroy();
    caller.close(code, why);
    setTimeout(() => caller.terminate(), CLOSE_MS).unref();
  };
  const stop = () => end(END.stopping, 'the server stops');
  const ping = () => {
    // A paused caller is not read: its answers are behind the waiting bytes.
    if (caller.isPaused) heard = Date.now();
    if (Date.now() - heard > pace.lost) return caller.terminate();
    if (caller.readyState === caller.OPEN) caller.ping();
  };
  const look = () => {
    const bytes = host.bytesRead + host.bytesWritten;
    if (bytes !== moved.bytes) moved = { bytes, at: Date.now() };
    else if (Date.now() - moved.at > pace.idle) end(END.idle, 'nothing was forwarded for a while');
    check().catch(() => end(END.refused, 'the token is not valid any more'));
  };
  caller.on('pong', () => {
    heard = Date.now();
  });
  const timers = [setInterval(ping, pace.ping), setInterval(look, pace.check)];
  const listening = addAbortListener(signal, stop);
  // Each side that ends ends the other one, whatever it ended by.
  const both = [pipeline(stream, host), pipeline(host, stream)].map((way) => way.catch(() => {}));
  try {
    await Promise.race(both);
    // The last bytes of the host are still in transit.
    if (!isOver && caller.readyState !== caller.CLOSED) await both[1];
  } finally {
    for (const timer of timers) clearInterval(timer);
    listening[Symbol.dispose]();
    end(END.done, '');
  }
}
