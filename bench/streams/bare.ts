/**
 * A server of hono with one route that sends server-sent events, and nothing behind it: the cost of TLS and of socket
 * writes. Each client gets RATE events a second with SIZE bytes. Prints its address as soon as it listens.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

const { RATE = '1', SIZE = '1000', CERTIFICATE = '', KEY = '' } = process.env;
const event = new TextEncoder().encode(`id: 1\ndata: ${'x'.repeat(Math.max(0, Number(SIZE) - 16))}\n\n`);

const app = new Hono();
app.get('/stream', () => {
  let timer: NodeJS.Timeout;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => controller.enqueue(event), 1_000 / Number(RATE));
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
});
const pair = { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) };
const server = createServer(pair, getRequestListener(app.fetch, { overrideGlobalObjects: false }));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`https://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
