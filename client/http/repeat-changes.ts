import { setTimeout as sleep } from 'node:timers/promises';
import { readText, type Sender } from './send-request.js';

/**
 * Time for which a server is asked whether it supports keys after a lost connection, and the interval, in
 * milliseconds.
 */
const FOR_MS = 30_000;
const EVERY_MS = 500;

/**
 * Creates a function that asks a server, after a lost connection, whether it recognizes a change by its
 * `Idempotency-Key`. If so, the change may be sent again. The server reports it by `"idempotencyKeys": true` at
 * `/version`. Without an answer in time, keys count as unsupported.
 */
export const asksKeys =
  (sender: Sender, forMs = FOR_MS) =>
  async (): Promise<boolean> => {
    for (const until = Date.now() + forMs; Date.now() < until; await sleep(EVERY_MS)) {
      try {
        const response = await sender.send({ verb: 'GET', path: '/version', alone: true, silentMs: EVERY_MS * 4 });
        const text = await readText(response);
        if (response.statusCode === 200) return (JSON.parse(text) as { idempotencyKeys?: unknown }).idempotencyKeys === true;
      } catch (error) {
        // It may be starting again.
        if (error instanceof SyntaxError) return false;
      }
    }
    return false;
  };
