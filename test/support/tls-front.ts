import { readFileSync } from 'node:fs';
import { connect, createSecureServer, type Http2SecureServer, type Http2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates.js';

const PERMISSION_DENIED = '7';
const UNAUTHENTICATED = '16';

export interface TlsFront {
  /** `127.0.0.1:port` */
  address: string;
  /** Keys that were shown, as they came. */
  shown: Set<string>;
  close(): Promise<void>;
}

export interface TlsFrontOptions extends Certificate {
  /** The Temporal service behind it. */
  to: string;
  /** File of the authority whose clients are let in; without it no client needs a certificate. */
  clientCa?: string;
  /** The only API key that is let in. */
  apiKey?: string;
  /** Parts of paths that nobody may call, as Temporal Cloud keeps some to itself. */
  forbidden?: readonly string[];
}

/** Stands before a Temporal service as Temporal Cloud or a company's gateway does: TLS, clients' certificates, API keys. */
export async function startTlsFront({ to, key, cert, clientCa, apiKey, forbidden = [] }: TlsFrontOptions): Promise<TlsFront> {
  const shown = new Set<string>();
  const open = new Set<Http2Session>();
  const back = connect(`http://${to}`);
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
    const { authorization: _, ':authority': __, ':scheme': ___, ...passed } = headers;
    const call = back.request(passed, { endStream: false });
    let trailers = {};
    call.on('error', () => stream.destroy());
    call.on('response', (answer, flags) => {
      // A failure without content comes as headers alone.
      const ends = (flags & 1) === 1;
      stream.respond(answer, ends ? { endStream: true } : { waitForTrailers: true });
    });
    call.on('trailers', (last) => {
      trailers = last;
    });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    call.on('data', (chunk: Buffer) => void (stream.destroyed || stream.write(chunk)));
    call.on('end', () => stream.end());
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
      back.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
