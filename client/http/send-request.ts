import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { ServerConnection } from './connection.js';

/**
 * How long a connection may take to open, in milliseconds: the first one, and one to a server that was reached before.
 * On a busy machine many clients come back at once, and a handshake that is given up is begun again from nothing.
 */
const OPEN_MS = 10_000;
const OPEN_AGAIN_MS = 30_000;
/** Time without a byte after which the other side is probed, in milliseconds. */
const PROBE_MS = 15_000;
/** Characters of an answer, far above the largest one. */
const MOST = 256 * 1024 * 1024;

/** Parts of a request, with its headers except the token. */
export interface RequestParts {
  verb: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signal?: AbortSignal;
  /** Uses a separate connection, which the server cannot have closed before. */
  alone?: boolean;
  /** Time for which the other side may be silent, in milliseconds. Default: as long as the connection exists. */
  silentMs?: number;
}

/** The connection broke. `sent`: the server may have the request. */
export class BrokenConnection extends Error {
  constructor(
    readonly sent: boolean,
    cause: unknown,
  ) {
    super('the connection broke', { cause });
  }
}

/** Sends requests to one server, over persistent connections. */
export interface Sender {
  /** Answers once the headers of the response are there. @throws BrokenConnection */
  send(sent: RequestParts): Promise<IncomingMessage>;
  close(): void;
}

export function createSender({ url, token, ca }: Pick<ServerConnection, 'url' | 'ca'> & { token?: string }): Sender {
  const isSecure = url.startsWith('https:');
  // If the caller names an authority, no other one is trusted.
  const options = { keepAlive: true, ...(ca !== undefined && { ca }) };
  const agent = isSecure ? new SecureAgent(options) : new Agent(options);
  const single = isSecure ? new SecureAgent({ ...options, keepAlive: false }) : new Agent({ keepAlive: false });
  const request = isSecure ? requestSecure : requestPlain;
  let wasReached = false;
  return {
    send: ({ verb, path, headers = {}, body, signal, alone, silentMs }) =>
      new Promise((resolve, reject) => {
        let isOpen = false;
        const sent = request(`${url}${path}`, {
          method: verb,
          agent: alone ? single : agent,
          ...(signal && { signal }),
          headers: {
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            'user-agent': 'provisioning',
            ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
        });
        const openMs = wasReached ? OPEN_AGAIN_MS : OPEN_MS;
        const late = setTimeout(() => sent.destroy(new Error(`no connection after ${openMs / 1_000} s`)), openMs);
        const opened = () => {
          isOpen = true;
          // A handshake has a limit of its own.
          if (silentMs !== undefined) sent.setTimeout(silentMs, () => sent.destroy(new Error(`nothing for ${silentMs / 1_000} s`)));
          wasReached = true;
          clearTimeout(late);
        };
        sent.on('socket', (socket) => {
          socket.setKeepAlive(true, PROBE_MS);
          if (!socket.connecting) opened();
          else socket.once(isSecure ? 'secureConnect' : 'connect', opened);
        });
        sent.on('error', (error) => {
          clearTimeout(late);
          reject(new BrokenConnection(isOpen, error));
        });
        sent.on('response', resolve);
        sent.end(body);
      }),
    close() {
      agent.destroy();
      single.destroy();
    },
  };
}

/** The whole text of an answer. @throws BrokenConnection */
export async function readText(response: IncomingMessage): Promise<string> {
  const parts: string[] = [];
  let size = 0;
  try {
    for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) {
      size += part.length;
      if (size > MOST) throw new Error('the answer does not end');
      parts.push(part);
    }
  } catch (error) {
    throw new BrokenConnection(true, error);
  }
  if (!response.complete) throw new BrokenConnection(true, new Error('the answer was cut'));
  return parts.join('');
}
