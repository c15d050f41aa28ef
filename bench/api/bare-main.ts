/**
 * A server with only routes: each answers JSON from its parent, over the same TLS. The cost of a request to it is the
 * cost of Node, TLS, HTTP and hono.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

/** Options of its start. */
export interface BareServer {
  cert: string;
  key: string;
  /** Answers by path. */
  answers: Record<string, unknown>;
}

process.once('message', ({ cert, key, answers }: BareServer) => {
  const app = new Hono();
  for (const [path, answer] of Object.entries(answers)) app.get(path, (c) => c.json(answer as object));
  const server = createServer({ cert, key, minVersion: 'TLSv1.2' }, getRequestListener(app.fetch));
  server.listen(0, '127.0.0.1', () => process.send?.(`https://127.0.0.1:${(server.address() as AddressInfo).port}`));
});
// Its parent may be killed.
process.once('disconnect', () => process.exit());
