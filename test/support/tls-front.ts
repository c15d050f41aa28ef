import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Certificate } from './certificates.js';

const PERMISSION_DENIED = '7';
const UNAUTHENTICATED = '16';

export interface TlsFront {
  /** Address: `127.0.0.1:port`. */
  address: string;
  /** API keys that clients sent. */
  shown: Set<string>;
  close(): Promise<void>;
}

export interface TlsFrontOptions extends Certificate {
  /** Temporal service behind it. */
  to: string;
  /** File of the authority whose clients are accepted. Without it, clients need no certificate. */
  clientCa?: string;
  /** Only accepted API key. */
  apiKey?: string;
  /** Parts of paths whose calls are forbidden, as Temporal Cloud reserves some. */
  forbidden?: readonly string[];
  /** Returns the fault of a call. Called before each. */
  fault?(path: string): Mishap | undefined;
  /** Returns a hold for a call. Called before each. A held call passes as a whole. */
  hold?(path: string): Held | undefined;
}

/** Hold of a call, which continues when these resolve. */
export interface Held {
  /** Called before the request is forwarded. */
  asked(message: Buffer): Promise<void>;
  /** Called before the answer is returned. */
  answered(ok: boolean): Promise<void>;
}

/** Injected failure of a call. */
export interface Mishap {
  /** gRPC status. */
  status: number;
  /** Whether it fails after the service has executed it: the answer is lost. */
  done?: boolean;
}

/**
 * Starts a proxy in front of a Temporal service, like Temporal Cloud or a company's gateway: TLS, client certificates,
 * API keys.
 */
export async function startTlsFront({
  to,
  key,
  cert,
  clientCa,
  apiKey,
  forbidden = [],
  fault,
  hold,
}: TlsFrontOptions): Promise<TlsFront> {
  const shown = new Set<string>();
  const open = new Set<Http2Session>();
  const back = connectionsTo(`http://${to}`);
  const server: Http2SecureServer = createSecureServer({
    key: readFileSync(key),
    cert: readFileSync(cert),
    ...(clientCa ? { requestCert: true, rejectUnauthorized: true, ca: readFileSync(clientCa) } : {}),
  });
  server.on('session', (session) => void open.add(session.on('error', () => {})));
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    const refuse = (status: string, message: string) => {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status, 'grpc-message': message },
        { endStream: true },
      );
    };
    stream.on('error', () => {});
    const given = headers.authorization ?? '';
    if (given) shown.add(given);
    if (apiKey !== undefined && given !== `Bearer ${apiKey}`) return refuse(UNAUTHENTICATED, 'invalid API key');
    if (forbidden.some((part) => headers[':path']?.includes(part))) return refuse(PERMISSION_DENIED, 'Request unauthorized.');
    const mishap = fault?.(headers[':path'] ?? '');
    const fail = () => refuse(String(mishap?.status), 'a mishap on the way');
    if (mishap && !mishap.done) return fail();
    const { authorization: _, ':authority': __, ':scheme': ___, ...passed } = headers;
    const held = hold?.(headers[':path'] ?? '');
    if (held) return void passHeld(back.current(), stream, passed, held).catch(() => stream.destroy());
    const call = back.current().request(passed, { endStream: false });
    let trailers = {};
    call.on('error', () => stream.destroy());
    call.on('response', (answer, flags) => {
      if (mishap) return;
      // A failure without content has only headers.
      const ends = (flags & 1) === 1;
      stream.respond(answer, ends ? { endStream: true } : { waitForTrailers: true });
    });
    call.on('trailers', (last) => {
      trailers = last;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    call.on('data', (chunk: Buffer) => void (stream.destroyed || mishap || stream.write(chunk)));
    call.on('end', () => (mishap ? stream.destroyed || fail() : stream.end()));
    stream.on('data', (chunk: Buffer) => void (call.destroyed || call.write(chunk)));
    stream.on('end', () => call.end());
    stream.on('aborted', () => call.close());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    async close() {
      for (const session of open) session.destroy();
      back.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Returns connections to the service. Temporal ends each connection after five minutes: pending calls are answered,
 * and the next call needs a new connection.
 */
function connectionsTo(url: string): { current(): ClientHttp2Session; close(): void } {
  const open = new Set<ClientHttp2Session>();
  let current: ClientHttp2Session | undefined;
  return {
    current() {
      if (current && !current.closed && !current.destroyed) return current;
      const session = connect(url);
      const leave = () => {
        if (current === session) current = undefined;
      };
      session.on('error', leave).on('goaway', leave);
      session.on('close', () => {
        leave();
        open.delete(session);
      });
      open.add(session);
      current = session;
      return session;
    },
    close() {
      for (const session of open) session.destroy();
    },
  };
}

/** Passes a held call as a whole: the request and the answer each wait for their hold. */
async function passHeld(
  back: ClientHttp2Session,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  held: Held,
): Promise<void> {
  const asked = await buffer(stream);
  await held.asked(messageIn(asked));
  // The client may have disconnected.
  if (stream.destroyed) return;
  const call = back.request(headers, { endStream: false });
  stream.on('close', () => call.close());
  let [answer, trailers]: IncomingHttpHeaders[] = [{}, {}];
  call.on('response', (found) => {
    answer = found;
  });
  call.on('trailers', (found) => {
    trailers = found;
  });
  call.end(asked);
  const answered = await buffer(call);
  // A failure without content has only headers.
  const isShort = answer?.['grpc-status'] !== undefined;
  await held.answered((isShort ? answer : trailers)?.['grpc-status'] === '0');
  if (stream.destroyed) return;
  if (isShort) return stream.respond(answer, { endStream: true });
  stream.respond(answer, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers ?? {}));
  stream.end(answered);
}

/** Returns the message of a unary call, after a compression byte and four bytes of its length. */
function messageIn(body: Buffer): Buffer {
  if (body.length < 5) return Buffer.alloc(0);
  const message = body.subarray(5, 5 + body.readUInt32BE(1));
  return body[0] === 1 ? gunzipSync(message) : message;
}
