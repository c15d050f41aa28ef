import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultScript, SLOW_MS } from './fault-script.js';

export interface StandInRequest {
  method: string;
  /** Path without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
  /** Whether to answer a read with the state before the last change. */
  stale: boolean;
  /** Whether to reject requests that create something, like an account at its limit. */
  quota: boolean;
}

export interface StandInAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface StandInServer {
  url: string;
  faults: FaultScript;
  close(): Promise<void>;
}

/** Starts a test's HTTP server on 127.0.0.1 that answers JSON and injects scripted faults. */
export async function serveStandIn(
  answer: (request: StandInRequest) => Promise<StandInAnswer> | StandInAnswer,
  busy: (retryAfterS: number) => StandInAnswer,
  broken: () => StandInAnswer,
): Promise<StandInServer> {
  const faults = new FaultScript();

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? '/', 'http://stand-in');
    const method = incoming.method ?? 'GET';
    const fault = faults.take(method, url.pathname + url.search);
    const text = await textOf(incoming);
    if (fault?.kind === 'cut-before') return void incoming.socket.destroy();
    if (fault?.kind === 'busy') return send(response, busy(fault.retryAfterS ?? 1));
    if (fault?.kind === 'broken') return send(response, broken());
    if (fault?.kind === 'slow') await sleep(SLOW_MS);
    const made = await answer({
      method,
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: text === '' ? undefined : JSON.parse(text),
      stale: fault?.kind === 'stale',
      quota: fault?.kind === 'quota',
    });
    if (fault?.kind === 'cut-after') return void incoming.socket.destroy();
    send(response, made, fault?.kind === 'truncated');
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: Error) => {
      send(response, { status: 500, body: { error: { error_code: 'STAND_IN', error_message: error.stack } } });
    });
  });
  // No time-out: one that expires while a busy client reuses the connection would be an unscripted fault.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    close: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, body, headers = {} }: StandInAnswer, halved = false): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json; charset=UTF-8' };
  response.writeHead(status, { ...type, ...headers });
  // Like a proxy that lost its backend: without a length, the truncated end looks normal.
  response.end(halved ? text.slice(0, Math.floor(text.length / 2)) : text);
}
