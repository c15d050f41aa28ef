import type { Difference } from '../../core/encoding/difference.js';
import type { ErrorDetails } from '../../core/errors.js';

/** A call over the worker's socket: one JSON document a line. */
export interface SocketRequest {
  id: number;
  /**
   * The name of a method. A live worker answers `hello` at once. `leave` ends the stream of the call with this id, and
   * is not answered.
   */
  method: string;
  input?: unknown;
  /** The caller supports `changed`. */
  changes?: true;
}

/**
 * `event` may come many times, then one `result` or `error`. `changed` is an event, as its difference from the one
 * before.
 */
export type SocketReply = { id: number } & (
  | { event: unknown }
  | { changed: Difference }
  | { result: unknown }
  | { error: ErrorDetails }
);

/** Default limit of a line in characters, far above the largest request and reply. */
const MAX_LINE = 256 * 1024 * 1024;

/**
 * Splits a stream into its lines.
 *
 * @param onTooLong called once if a line does not end; nothing is read after it
 */
export function lineReader(onLine: (line: string) => void, onTooLong: () => void, max = MAX_LINE): (chunk: string) => void {
  let rest: string[] = [];
  let size = 0;
  return (chunk) => {
    if (size > max) return;
    const [first = '', ...others] = chunk.split('\n');
    rest.push(first);
    size += first.length;
    if (size > max) {
      rest = [];
      return onTooLong();
    }
    const last = others.pop();
    if (last === undefined) return;
    for (const line of [rest.join(''), ...others]) if (line) onLine(line);
    rest = [last];
    size = last.length;
  };
}
