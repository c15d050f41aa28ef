import { placeOf } from './worker-log.js';

/** Promises that nobody waited for, within `WINDOW_MS`, after which the process is no longer taken to be sound. */
const MOST = 100;
const WINDOW_MS = 60_000;

/** What Node's sockets say when the other side is at fault. */
const OF_A_PEER = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

interface Around {
  log(text: string): void;
  exit(code: number): void;
  now?(): number;
}

/**
 * The last net of the worker: logs what no code of ours has caught, with a count, and says
 * whether the process may go on. It may after a promise that nobody waited for, which tore no
 * frame of ours, and after the error of a connection, which says that a peer is gone. After
 * any other exception it is not known what was left half done: the process ends, with 70,
 * and its supervisor starts another. docs/decisions/2026-11-22-what-the-worker-survives.md
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
  // ssh2 says by `level` which part of a connection failed; sockets name the system call.
  if (typeof level === 'string' && /^(client-|protocol|handshake)/.test(level)) return true;
  return typeof code === 'string' && OF_A_PEER.has(code) && typeof syscall === 'string';
}

/** Puts the net under this process. */
export function spreadLastNet(): void {
  const net = lastNet({ log: (text) => console.error(text), exit: (code) => process.exit(code) });
  // A log that cannot be written, as on a full disk, is no reason to end: the work goes on without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('unhandledRejection', net.rejection);
  process.on('uncaughtException', net.exception);
}
