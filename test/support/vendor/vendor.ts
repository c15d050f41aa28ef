import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Mirror } from '../../../core/taskserv/mirrors.js';

/** Answer of a vendor's server for a path. */
export interface VendorAnswer {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** Repeats the body until the client stops reading. */
  endless?: true;
  /** Accepts the request and never answers. */
  silent?: true;
}

/** A vendor's servers on this machine, reachable as mirrors of the real ones. */
export interface Vendor {
  /** Answers by path without a query. They may be changed at any time. */
  answers: Map<string, VendorAnswer>;
  /** Received requests. */
  asked: { url: string; headers: IncomingHttpHeaders }[];
  /** Returns the mirror of a real address. Its paths are below this name. */
  mirror(from: string, name: string): Mirror;
  close(): Promise<void>;
}

/** Serves these answers on loopback. An answer with an `etag` yields 304 for a matching request. */
export async function serveVendor(): Promise<Vendor> {
  const answers: Vendor['answers'] = new Map();
  const asked: Vendor['asked'] = [];
  const server = createServer(({ url = '/', headers }, response) => {
    asked.push({ url, headers });
    const found = answers.get(url) ?? answers.get(url.split('?')[0] as string);
    if (found?.silent) return;
    const etag = found?.headers?.etag;
    if (etag !== undefined && headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(found?.status ?? (found ? 200 : 404), found?.headers);
    if (found?.endless) return goOn(response, found.body ?? 'x');
    response.end(found?.body ?? (found ? '' : 'not here'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    answers,
    asked,
    mirror: (from, name) => ({ from, to: `${base}/${name}` }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function goOn(response: ServerResponse, body: string | Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(body));
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
}

/** Returns releases in the format of GitHub's API. */
export const releasesPage = (...tags: (string | { tag_name: string; draft?: boolean; prerelease?: boolean })[]): string =>
  JSON.stringify(
    tags.map((one) => ({
      ...(typeof one === 'string' ? { tag_name: one } : one),
      published_at: '2026-11-01T10:00:00Z',
      body: 'notes',
    })),
  );
