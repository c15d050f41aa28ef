import { randomUUID } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from '../../core/machine/provider.js';
import { local } from '../../providers/local/index.js';
import { keyFiles } from '../../stores/files/key-files.js';
import type { definitionOf } from './definition.js';
import type { TestEngine } from './engine.js';
import { hostImage } from './host-image.js';
import { testText } from './private-text.js';

/** Existing machine, as a definition names it. */
export type Host = Exclude<NonNullable<Parameters<typeof definitionOf>[0]['servers'][number]['host']>, 'this'>;

/** Existing machines: the platform under test only receives their connection data. */
export interface Machines {
  /** File with the key that gives access. */
  identity: string;
  /** File with a key that gives no access. */
  stranger: string;
  doors: ReadonlyMap<string, Extract<Connection, { kind: 'ssh' }>>;
  /** Returns one of the machines, with `identity` as its key by default. */
  host(name: string, more?: Partial<Host>): Host;
}

/**
 * Starts machines with these names as containers with SSH.
 *
 * @param infra under which Docker has them and `sweep` removes them
 */
export async function startMachines(engine: TestEngine, infra: string, names: readonly string[]): Promise<Machines> {
  const identity = join(engine.home.root, 'my-key');
  const stranger = join(engine.home.root, 'a-strangers-key');
  const keys = keyFiles(join(engine.home.root, 'keys-of-the-test'), testText);
  const mine = { workspace: 'test', infra: 'mine' };
  const pair = await keys.infraKey(mine);
  await writeFile(identity, pair.private);
  await writeFile(stranger, (await keys.infraKey({ ...mine, infra: 'another' })).private);
  for (const path of [identity, stranger]) await chmod(path, 0o600);

  const { servers, networks } = await local.connect(local.config.parse({ image: hostImage() }));
  const context = { scope: { workspace: 'default', infra, uuid: randomUUID() }, key: 'test' };
  await networks.create({ name: infra }, context);
  const doors = new Map<string, Extract<Connection, { kind: 'ssh' }>>();
  for (const name of names) {
    const hostKey = await keys.hostKey(mine, name);
    const machine = { plan: local.sizes.small, image: local.images.default, labels: {}, volumes: [], network: infra };
    await servers.create({ name, role: name, ...machine }, { ...context, access: { authorizedKey: pair.public, hostKey } });
    const { connection } = await servers.ready(name, context);
    if (connection.kind === 'ssh') doors.set(name, connection);
  }
  const host = (name: string, more: Partial<Host> = {}): Host => ({
    ...{ address: '127.0.0.1', port: doors.get(name)?.port, user: 'root', identity },
    ...more,
  });
  return { identity, stranger, doors, host };
}
