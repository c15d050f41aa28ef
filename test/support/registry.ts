import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execa } from 'execa';

export interface Registry {
  /** URL on this machine, in npm's format. */
  url: string;
  /** Publishes the package of a tarball as the newest version of its name. */
  publish(file: string): Promise<void>;
  close(): Promise<void>;
}

interface Version {
  manifest: { name: string; version: string };
  tarball: Buffer;
}

/**
 * Starts a registry of npm packages. It serves packages that are published to it, and redirects all other requests to
 * the registry that this machine is configured for.
 */
export async function startRegistry(): Promise<Registry> {
  const upstream = (await execa('npm', ['config', 'get', 'registry'])).stdout.trim().replace(/\/$/, '');
  const packages = new Map<string, Map<string, Version>>();
  let url = '';

  const pageOf = (name: string, versions: Map<string, Version>) => ({
    name,
    'dist-tags': { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries([...versions].map(([version, one]) => [version, { ...one.manifest, dist: distOf(one) }])),
  });
  const distOf = ({ manifest: { name, version }, tarball }: Version) => ({
    tarball: `${url}${name}/-/${version}.tgz`,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
  });

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/').slice(1);
    const [name = '', file] = path.split('/-/');
    const versions = packages.get(name);
    // Our own names are never forwarded: a third party may own them there.
    if (!versions && /^(provisioning$|@provisioning\/)/.test(name)) return void response.writeHead(404).end('{}');
    if (!versions) return void response.writeHead(302, { location: `${upstream}${request.url}` }).end();
    if (file === undefined) return void response.end(JSON.stringify(pageOf(name, versions)));
    const found = versions.get(file.replace(/\.tgz$/, ''));
    return void response.writeHead(found ? 200 : 404).end(found?.tarball);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  return {
    url,
    async publish(file) {
      const manifest = JSON.parse((await execa('tar', ['-xzOf', file, 'package/package.json'])).stdout);
      const versions = packages.get(manifest.name) ?? new Map<string, Version>();
      packages.set(manifest.name, versions.set(manifest.version, { manifest, tarball: await readFile(file) }));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
