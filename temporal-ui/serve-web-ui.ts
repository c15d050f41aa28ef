import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { PayloadCodec } from '@temporalio/common';
import { Hono } from 'hono';
import { inputError, messageOf } from '../core/errors.js';
import { codecRoutes } from './codec-routes.js';
import { webUiProxy } from './proxy.js';
import { sessionGuard } from './session-guard.js';

export interface WebUiOptions {
  /** Address of Temporal's Web UI: a URL, or `unix:PATH`. */
  target: string;
  /** Returns the codec that decodes the payloads of a namespace. */
  codecOf: (namespace: string) => PayloadCodec;
  /** Namespace of requests that name none. */
  namespace: string;
  /** Default: a free port. */
  port?: number;
}

export interface WebUi {
  origin: string;
  /** Returns a link that opens a session once; `path` is its destination. */
  link(path?: string): string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * Serves Temporal's Web UI and the codec that decrypts its payloads, on one origin, on loopback, behind a session.
 *
 * @throws inputError `port-in-use`
 */
export async function serveWebUi({ target, codecOf, namespace, port = 0 }: WebUiOptions): Promise<WebUi> {
  let listening = 0;
  const origin = () => `http://${HOST}:${listening}`;
  const guard = sessionGuard(() => listening);
  const { pass, settings } = webUiProxy(target, origin);
  const app = new Hono()
    .use(guard.protect)
    .get('/session', guard.open)
    .route('/codec', codecRoutes(codecOf, namespace))
    .get('/api/v1/settings', settings)
    .all('*', pass);
  const server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const on = `${HOST}:${port}`;
      const hint = 'choose another port with --port, or omit it for a free port';
      reject(inputError({ code: 'port-in-use', what: 'serve the Web UI', on, why: messageOf(error), hint }, { cause: error }));
    });
    server.listen(port, HOST, resolve);
  });
  // A failed connection must not end the server.
  server.on('error', () => {});
  listening = (server.address() as AddressInfo).port;
  return {
    origin: origin(),
    link: (path = '/') => `${origin()}/session?${new URLSearchParams({ token: guard.newToken(), to: path })}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
