import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocket } from 'ws';
import type { ServerConnection } from '../../client/http/connection.js';
import { readProblem } from '../../client/http/read-problem.js';
import { messageOf, unreachableError } from '../../core/errors.js';

/** Server of an infra. */
export interface NamedServer {
  workspace: string;
  infra: string;
  server: string;
}

const HANDSHAKE_MS = 60_000;
/** Maximum bytes of a message, and of a rejection. */
const MOST_MESSAGE = 16 * 1024 * 1024;
const MOST_PROBLEM = 64 * 1024;
const WHAT = 'connect through the server';

/**
 * Opens a connection to the SSH port of a server, or of its jump host, through an API server.
 *
 * @returns its bytes, both ways
 * @throws ProvisioningError as the server reports it, or unreachableError `host-unreachable` if the server does not
 * answer
 */
export async function connectHost({ url, token, ca }: ServerConnection, named: NamedServer): Promise<Duplex> {
  const segment = (name: string) => encodeURIComponent(name);
  const { workspace, infra, server } = named;
  const path = `/v1/workspaces/${segment(workspace)}/infras/${segment(infra)}/servers/${segment(server)}/connection`;
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(ca !== undefined && { ca }),
    ...{ perMessageDeflate: false, followRedirects: false, handshakeTimeout: HANDSHAKE_MS, maxPayload: MOST_MESSAGE },
  });
  const stream = createWebSocketStream(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    stream.once('error', (error) => {
      reject(unreachableError({ code: 'host-unreachable', what: WHAT, on: url, why: messageOf(error) }));
    });
    socket.once('unexpected-response', (_, response) => {
      readRefusal(response, server).then(reject, reject);
    });
  }).catch((error: unknown) => {
    stream.on('error', () => {});
    socket.terminate();
    throw error;
  });
  return stream;
}

/** Returns the error that a rejection describes. */
async function readRefusal(response: IncomingMessage, server: string): Promise<Error> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MOST_PROBLEM) break;
  }
  const why = `the answer has the status ${response.statusCode} and no description`;
  return readProblem(text) ?? unreachableError({ code: 'host-unreachable', what: WHAT, on: server, why });
}
