import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import { inputError, messageOf } from '../../core/errors.js';
import type { Connections } from '../connections/serve-connections.js';
import type { Api } from '../create-api.js';
import { type Certificate, type CertificateFiles, watchCertificate } from './certificate.js';
import type { ListenAddress } from './listen-address.js';
import { chooseHost, findServedAddresses, readWildcard } from './served-addresses.js';

/** Times in milliseconds; tests have others. */
export interface ServerTimes {
  /** For the headers of a request. */
  headers: number;
  /** For a TLS handshake. Longer: if many clients come back at once, the server itself needs this time. */
  handshake: number;
  /** For a whole request with its body. */
  request: number;
  /** Pause between two requests on one connection; longer than in usual load balancers. */
  keepAlive: number;
  /** How often connections are checked. */
  checking: number;
  /** How long requests may take that are open when it stops. */
  stopping: number;
}

const TIMES: ServerTimes = {
  headers: 10_000,
  handshake: 30_000,
  request: 120_000,
  keepAlive: 75_000,
  checking: 5_000,
  stopping: 20_000,
};
const CONNECTIONS = 10_000;
const HEADER_BYTES = 96 * 1024;
/** How often idle connections are closed while it stops, in milliseconds. */
const IDLE_MS = 50;

export interface ServeOptions {
  address: ListenAddress;
  /** Further names of the server. */
  hostNames?: readonly string[];
  /** Handles requests that ask for another protocol. */
  connections?: Pick<Connections, 'upgrade' | 'close'>;
  /** Absent: plain HTTP. */
  tls?: { pair: Certificate; files: CertificateFiles };
  log(line: string): void;
  times?: Partial<ServerTimes>;
  /** Interval in which the certificate files are checked, in milliseconds. */
  certificateMs?: number;
}

export interface ApiServer {
  /** An URL that clients can open, such as `https://127.0.0.1:8443`. */
  origin: string;
  /** The port on which it listens at all addresses of the machine; absent for one address. */
  everywhere?: number;
  /** Ends streams at once, and all other connections once their requests are answered, within `times.stopping`. */
  close(): Promise<void>;
}

/**
 * Listens for requests. Slow clients are cut off, and a changed certificate is used for new connections.
 *
 * @throws inputError `port-in-use`
 */
export async function serveApi(
  api: Api,
  { address, hostNames = [], connections, tls, log, times: given, certificateMs }: ServeOptions,
): Promise<ApiServer> {
  const times = { ...TIMES, ...given };
  const limits = {
    headersTimeout: times.headers,
    requestTimeout: times.request,
    keepAliveTimeout: times.keepAlive,
    connectionsCheckingInterval: times.checking,
    maxHeaderSize: HEADER_BYTES,
  };
  const fetch = (request: Request, { incoming }: HttpBindings | Http2Bindings) => api.fetch(request, { incoming });
  // Its own `Response` replaces Node's in this process: a text is then written to the connection in one write, without
  // a stream. This halves the cost of a small answer.
  const listener = getRequestListener(fetch);
  const server: Server | SecureServer = tls
    ? createSecureServer({ ...limits, ...tls.pair, minVersion: 'TLSv1.2', handshakeTimeout: times.handshake }, listener)
    : createServer(limits, listener);
  if (connections) server.on('upgrade', (...asked) => connections.upgrade(...asked));
  server.maxConnections = CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(notListening(address, error)));
    server.listen({ ...address, backlog: 511 }, resolve);
  });
  // A connection that cannot be taken is no end of the server.
  server.on('error', (error) => log(JSON.stringify({ server: messageOf(error) })));
  const unwatch = tls
    ? watchCertificate(tls.files, {
        onChange(pair) {
          (server as SecureServer).setSecureContext({ ...pair, minVersion: 'TLSv1.2' });
          log(JSON.stringify({ certificate: 'changed' }));
        },
        onError: (error) => log(JSON.stringify({ certificate: messageOf(error) })),
        ...(certificateMs !== undefined && { everyMs: certificateMs }),
      })
    : () => {};
  const { port } = server.address() as AddressInfo;
  const addresses = findServedAddresses(address);
  const host = chooseHost(address, { hostNames, addresses, ...(tls && { certificate: tls.pair.cert }) });
  return {
    origin: `${tls ? 'https' : 'http'}://${host}:${port}`,
    ...(readWildcard(address.host) !== undefined && { everywhere: port }),
    close: () =>
      new Promise((resolve) => {
        api.drain();
        unwatch();
        const late = setTimeout(() => server.closeAllConnections(), times.stopping);
        // A persistent connection becomes idle once its last request is answered.
        const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
        server.close(() => {
          clearTimeout(late);
          clearInterval(idle);
          resolve();
        });
        api.endStreams();
        connections?.close();
        server.closeIdleConnections();
      }),
  };
}

const notListening = ({ host, port }: ListenAddress, cause: unknown) =>
  inputError(
    {
      code: 'port-in-use',
      what: 'serve the API',
      on: `${host}:${port}`,
      why: messageOf(cause),
      hint: 'choose another address with --listen',
    },
    { cause },
  );
