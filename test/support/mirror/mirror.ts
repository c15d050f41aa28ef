import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Files by path, as a mirror serves them. */
export type Files = ReadonlyMap<string, Buffer>;

/** Mirror on this machine that hosts reach at the gateway of their network. */
export interface MirrorServer {
  port: number;
  /** Requests with their answers: `200 /a`. */
  asked: string[];
  close(): Promise<void>;
}

/**
 * Serves these files over HTTP, with ranges: interrupted clients resume their download.
 *
 * @param keepsAlive whether the process waits for its end
 */
export async function serveMirror(files: Files, { keepsAlive = true } = {}): Promise<MirrorServer> {
  const asked: string[] = [];
  const server = createServer(({ url = '/', headers }, response) => {
    const body = files.get(decodeURIComponent(url));
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const status = body ? (from > 0 ? 206 : 200) : 404;
    asked.push(`${status} ${url}`);
    if (!body) return void response.writeHead(404).end('not here');
    const part = body.subarray(from);
    const range = from > 0 ? { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` } : {};
    response.writeHead(status, { 'content-length': part.length, ...range }).end(part);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  if (!keepsAlive) server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
