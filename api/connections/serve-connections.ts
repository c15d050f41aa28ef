import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { dispatcherOver } from '../../app/dispatcher.js';
import { connectServer, type findFirstHop, type NamedServer } from '../../app/logins/connect-server.js';
import type { Call } from '../../app/method.js';
import type { Principal } from '../../app/principal.js';
import { inputError, messageOf, unreachableError } from '../../core/errors.js';
import { createAdmission, type Limits } from '../limits/admit.js';
import { authenticate, type PrincipalOf } from '../request/authenticate.js';
import { checkOrigin, refuseTokenInUrl } from '../request/check-origin.js';
import { describeProblem, logLine, respondProblem } from '../response/problem.js';
import { createStreamPlaces } from '../response/stream-places.js';
import { CONNECTION_PACE, type ConnectionPace, forwardBytes } from './forward-bytes.js';
import { type HostTimes, openHost } from './open-host.js';

export interface ConnectionOptions {
  /** Returns the call context of a principal. @param address source of the request */
  callFor(principal: Principal, address?: string): Call;
  principalOf: PrincipalOf;
  /** Host names that are served in addition to loopback, in lower case. */
  hostNames?: ReadonlySet<string>;
  log(line: string): void;
  /** Limits by account and by address, which also count all other requests; absent: no limits. */
  limits?: Limits;
  pace?: ConnectionPace;
  times?: HostTimes;
  /** Finds the port; tests have another one. */
  find?: typeof findFirstHop;
  /** Maximum number of simultaneous connections, for one principal and for all. */
  most?: { each: number; all: number };
}

/** Handler of requests that ask for another protocol. */
export interface Connections {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends all connections. */
  close(): void;
}

/** The path of the only WebSocket. */
const PLACE = /^\/v1\/workspaces\/([^/]+)\/infras\/([^/]+)\/servers\/([^/]+)\/connection$/;
const METHOD = 'servers.connect';
/** `exec` reaches many servers at a time. */
const MOST = { each: 100, all: 1_000 };
/** Maximum size of a caller's message, in bytes. */
const MOST_MESSAGE = 1024 * 1024;
const WHAT = 'connect to the server';

/**
 * Connects callers to the SSH ports of servers, over WebSockets. The API server forwards the bytes without reading
 * them. The caller is authenticated before the protocol changes, so that a refusal has the usual status and problem.
 * The caller names a server, and never an address.
 */
export function createConnections(options: ConnectionOptions): Connections {
  const { callFor, principalOf, hostNames = new Set(), log, limits, pace = CONNECTION_PACE, times, find, most = MOST } = options;
  const admission = createAdmission(limits, principalOf);
  const places = createStreamPlaces(most, tooMany);
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MOST_MESSAGE,
  });

  async function answer(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const asked = { headers: readHeaders(request) };
    await admission.enter(asked, request);
    const named = readPlace(request, hostNames);
    const principal = await admission.authenticate(asked);
    const address = admission.address(asked);
    const check = () => authenticate(asked.headers, (bearer) => principalOf(bearer, address));
    const { stop, leave } = places.take(principal.actor);
    const gone = () => stop.abort();
    socket.once('close', gone);
    try {
      const forward = async (at: { address: string; port: number }) => {
        const host = await openHost(at, { on: named.server, signal: stop.signal, ...(times && { times }) });
        try {
          const caller = await accept(request, socket, head);
          socket.off('close', gone);
          caller.on('error', () => {});
          await forwardBytes(caller, host, { signal: stop.signal, check, pace });
        } finally {
          host.destroy();
        }
      };
      const methods = { [METHOD]: connectServer(forward, find) };
      await dispatcherOver(callFor(principal, address), methods).call(METHOD, named, { signal: stop.signal });
    } finally {
      socket.off('close', gone);
      leave();
    }
  }

  const accept = (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      // The library answers an invalid handshake, and closes the socket.
      socket.once('close', () => reject(new Error('the caller is gone')));
      sockets.handleUpgrade(request, socket, head, resolve);
    });

  return {
    upgrade(request, socket, head) {
      const id = randomUUID();
      socket.on('error', () => {});
      answer(request, socket, head).catch(async (error: unknown) => {
        const problem = describeProblem(error, id);
        if (problem.kind === 'internal' && !socket.destroyed) log(logLine(problem, error));
        await refuse(socket, respondProblem(problem, (error as { headers?: Record<string, string> } | null)?.headers));
      });
    },
    close: () => places.close(),
  };
}

/** @throws inputError `bad-request`, `unknown-call`, `host-not-served`, `cross-site`, `token-in-url` */
function readPlace(request: IncomingMessage, hostNames: ReadonlySet<string>): NamedServer {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  checkOrigin(readHeaders(request), hostNames);
  refuseTokenInUrl(path, query);
  const found = request.method === 'GET' ? PLACE.exec(path) : null;
  const hint = 'GET /v1/workspaces/{workspace}/infras/{infra}/servers/{server}/connection';
  if (!found) throw inputError({ code: 'unknown-call', what: WHAT, why: 'no such path changes the protocol', hint });
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    throw inputError({ code: 'bad-request', what: WHAT, why: 'the only protocol is "websocket"', hint });
  if (query !== '') throw inputError({ code: 'bad-request', what: WHAT, why: 'the path takes no parameters', hint });
  const [workspace = '', infra = '', server = ''] = found.slice(1).map(decode);
  return { workspace, infra, server };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw inputError({ code: 'bad-request', what: WHAT, why: messageOf(error) });
  }
}

/** Returns all headers. A repeated header is joined, so that two tokens are not a valid one. */
function readHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  return headers;
}

/** Writes a response on a connection whose protocol has not changed, and ends it. */
async function refuse(socket: Duplex, response: Response): Promise<void> {
  if (socket.destroyed || !socket.writable) return;
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    ...['connection: close', 'cache-control: no-store', `content-length: ${body.length}`],
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]), () => socket.destroy());
}

const tooMany = (most: number) =>
  unreachableError({
    code: 'rate-limited',
    what: WHAT,
    why: `${most} connections are open, the most that are served`,
    hint: 'close a shell or a tunnel',
    retryAfterMs: 5_000,
  });
