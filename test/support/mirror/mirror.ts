import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Files by their paths, as a mirror serves them. */
export type Files = ReadonlyMap<string, Buffer>;

/** A mirror on this machine that hosts reach at the gateway of their network. */
export interface MirrorServer {
  port: number;
  /** What it was asked for, and what it answered: `200 /a`. */
  asked: string[];
  close(): Promise<void>;
}

/** Serves these files by HTTP, ranges of them too: who was cut off goes on where they were. */
export async function serveMirror(files: Files): Promise<MirrorServer> {
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
