import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { machineSources } from '../../../providers/local/prepare/machine-apt.js';
import type { SigningKey } from './apt-repository.js';
import { readPartOfArchive } from './part-of-archive.js';

/** Mirror of Debian's archive that hosts reach at the gateway of their network. */
export interface ArchiveMirror {
  port: number;
  /** Requested packages. */
  packages: Set<string>;
  close(): Promise<void>;
}

/**
 * Serves the archives of this machine's own sources at `/debian` and `/debian-security`, and a web page at other
 * paths. It fetches requested packages; it does not represent a mirror's own disk. The lists of `/debian` have only
 * `names` and the packages that these need, signed by `key`. The lists of `/debian-security` are Debian's own.
 */
export async function serveArchive(release: string, names: readonly string[], key: SigningKey): Promise<ArchiveMirror> {
  const sources = await machineSources(release);
  const uriOf = (suite: string) => sources.find(({ suites }) => suites.includes(suite))?.uris[0]?.replace(/\/+$/, '');
  const archives = new Map([
    ['debian-security', uriOf(`${release}-security`)],
    ['debian', uriOf(release)],
  ]);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const suites = [release, `${release}-updates`].map((suite) => ({ uri: archives.get('debian') ?? '', suite, architecture }));
  const part = await readPartOfArchive(suites, names, key);
  const packages = new Set<string>();
  const server = createServer(async ({ url = '/', headers }, response) => {
    const [, name = '', path = ''] = /^\/([^/]+)\/(.*)$/.exec(url) ?? [];
    const archive = archives.get(name);
    if (!archive) return void response.setHeader('content-type', 'text/html').end('<html>Please log in</html>');
    if (name === 'debian' && path.startsWith('dists/')) {
      const file = part.get(path);
      return void (file ? response.end(file) : response.writeHead(404).end());
    }
    try {
      const asked = Object.entries(headers).filter(([key]) => ['range', 'if-range', 'if-modified-since'].includes(key));
      const answer = await fetch(`${archive}/${path}`, { headers: asked as [string, string][] });
      if (path.endsWith('.deb') && answer.ok) packages.add(path.split('/').at(-1) ?? path);
      const passed = ['content-length', 'content-range', 'last-modified', 'etag'].flatMap((key) => {
        const value = answer.headers.get(key);
        return value === null ? [] : [[key, value] as const];
      });
      response.writeHead(answer.status, Object.fromEntries(passed));
      if (answer.body) await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
      else response.end();
    } catch {
      // The client detects the truncated answer and retries.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    packages,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
