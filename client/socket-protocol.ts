import type { ErrorDetails } from '../core/errors.js';
import type { Client } from './client.js';

/** A call over the worker's socket: one JSON document a line. */
export interface SocketRequest {
  id: number;
  method: keyof Client;
  args: unknown[];
}

/** `event` may come many times, then one `result` or `error`. */
export type SocketReply = { id: number } & ({ event: unknown } | { result: unknown } | { error: ErrorDetails });

/** Splits a stream into its lines. */
export function lineReader(onLine: (line: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line) onLine(line);
  };
}
