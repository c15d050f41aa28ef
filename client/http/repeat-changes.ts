import { setTimeout as sleep } from 'node:timers/promises';
import { readText, type Sender } from './send-request.js';

/** How long a server that broke off is asked whether it knows keys, and how often, in milliseconds. */
const FOR_MS = 10_000;
const EVERY_MS = 500;

/**
 * Asks a server that has lost a connection whether it recognizes a change by its `Idempotency-Key`: then the change may be sent
 * again. It says so by `"idempotencyKeys": true` at `/version`. One that does not answer in time does not say so.
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
