import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Docker from 'dockerode';
import { execa } from 'execa';
import type { ServerLogin } from '../../app/logins/find-logins.js';
import type { Client } from '../../client/client.js';
import { definitionOf, type Written } from '../support/definition.js';
import { containersOf } from '../support/hosts.js';
import { writeRequest } from '../support/login-requests.js';
import { requestOf } from '../support/operations.js';
import type { Go } from './tour-of-states.js';

/** Infra of the hosts, whose names are of the whole machine. They stay for the requests that follow: `sweep` removes them. */
export const INFRA = `tour-hosts-${process.pid}`;
/** An application is healthy once it has run for a while. */
const HEALTH_MS = 30_000;
const PLACE = { workspace: 'default', infra: INFRA };

/**
 * Calls the methods that need a host, on a local one with two releases of an application.
 *
 * @param folder for the releases
 */
export async function visitHosts(client: Client, folder: string, go: Go): Promise<void> {
  async function apply(taskservs: Written['taskservs']): Promise<void> {
    const definition = definitionOf({ infra: INFRA, provider: 'local', servers: [{ name: 'web' }], taskservs });
    const request = { ...requestOf({ infra: INFRA, definition, timing: { healthMs: HEALTH_MS } }), actor: undefined };
    const { operation } = await client.operations.submit({ request });
    const { status, error } = await client.operations.result({ operation });
    if (status !== 'done') throw new Error(`${operation} is ${status}: ${JSON.stringify(error)}`);
  }
  await apply([]);
  const [login] = (await go<ServerLogin[]>('servers.login', { ...PLACE, servers: ['web'] })) ?? [];
  const [algorithm = '', key = ''] = login?.publicKey?.split(' ') ?? [];
  const data = writeRequest({ user: login?.user ?? '', algorithm, key: Buffer.from(key, 'base64') }).toString('base64');
  await go('servers.signLogin', { ...PLACE, server: 'web', data });

  const archives = new Map<string, Buffer>();
  const artifacts = createServer((asked, response) => {
    const archive = archives.get(asked.url ?? '');
    if (archive) response.end(archive);
    else response.writeHead(404).end();
  });
  const [id = ''] = await containersOf(INFRA, 'web');
  const [network] = Object.values((await new Docker().getContainer(id).inspect()).NetworkSettings.Networks);
  await new Promise<void>((listening) => artifacts.listen(0, network?.Gateway, listening));
  try {
    const base = `http://${network?.Gateway}:${(artifacts.address() as AddressInfo).port}`;
    for (const release of ['1', '2']) {
      await mkdir(join(folder, `shop-${release}`), { recursive: true });
      await writeFile(join(folder, `shop-${release}`, 'release'), release);
      const archive = join(folder, `shop-${release}.tar.gz`);
      await execa('tar', ['-czf', archive, '-C', folder, `shop-${release}`]);
      const bytes = await readFile(archive);
      archives.set(`/shop-${release}.tar.gz`, bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const artifact = { url: `${base}/shop-${release}.tar.gz`, sha256, strip: 1 };
      const config = { name: 'shop', release, artifact, processes: { web: { command: 'sleep 1000000' } } };
      await apply([{ name: 'app', on: 'all', config }]);
    }
    await go('applications.releases', { ...PLACE, application: 'shop' });
    await go('applications.rollback', { ...PLACE, application: 'shop' });
  } finally {
    artifacts.close();
  }
}
