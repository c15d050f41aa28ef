import { placeOf } from './worker-log.js';

/** Number of unhandled rejections within `WINDOW_MS` after which the process no longer counts as sound. */
const MOST = 100;
const WINDOW_MS = 60_000;

/** Error codes of Node's sockets if the peer is at fault. */
const OF_A_PEER = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

interface Around {
  log(text: string): void;
  exit(code: number): void;
  now?(): number;
}

/**
 * Creates the last error handler of the worker. It logs uncaught errors, with a count, and decides whether the process
 * may continue. It may continue after an unhandled rejection, which interrupted no frame of this code. It may also
 * continue after a connection error, which only shows that a peer is gone. After any other exception, it is unknown
 * which work is half done. The process ends with 70, and its supervisor starts another.
 * docs/decisions/2026-11-22-what-the-worker-survives.md
 */
export function lastNet({ log, exit, now = Date.now }: Around) {
  let count = 0;
  let recent: number[] = [];

  function goOn(kind: string, error: unknown): boolean {
    count++;
    recent = [...recent.filter((at) => now() - at < WINDOW_MS), now()];
    log(`${kind} (${count} since the start): ${placeOf(error)}`);
    return recent.length <= MOST;
  }

  return {
    rejection(error: unknown): void {
      if (!goOn('a promise that nobody waited for', error)) exit(70);
    },
    exception(error: unknown): void {
      const sound = goOn('an error that nobody caught', error);
      if (!sound || !isOfAPeer(error)) exit(70);
    },
  };
}

function isOfAPeer(error: unknown): boolean {
  const { code, level, syscall } = (error ?? {}) as { code?: unknown; level?: unknown; syscall?: unknown };
  // The `level` of ssh2 names the failed part of a connection; errors of sockets name the system call.
  if (typeof level === 'string' && /^(client-|protocol|handshake)/.test(level)) return true;
  return typeof code === 'string' && OF_A_PEER.has(code) && typeof syscall === 'string';
}

/** Puts the net under this process. */
export function spreadLastNet(): void {
  const net = lastNet({ log: (text) => console.error(text), exit: (code) => process.exit(code) });
  // A log that cannot be written, as on a full disk, is no reason to end: the work continues without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('unhandledRejection', net.rejection);
  process.on('uncaughtException', net.exception);
}
