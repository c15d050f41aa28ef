import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Definition } from '../../core/definition/definition.js';
import { mayGrowMounted, whyNoDisks } from '../clouds/disks.js';
import { type HetznerStandIn, startHetzner } from '../clouds/hetzner/stand-in.js';
import { closeMachines } from '../clouds/machines.js';
import { definitionOf, type Written } from '../support/definition.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { whyNoHosts } from '../support/hosts.js';
import { endAll, run, runWell } from '../support/operations.js';

const why = (await whyNoHosts()) ?? whyNoDisks();
if (why) console.warn(`left out: ${why}`);
const growing = mayGrowMounted();
if (!growing) console.warn('left out: growing a mounted file system (this machine has no CAP_SYS_RESOURCE to give)');

const infra = 'disks';
type Volumes = NonNullable<Written['servers'][number]['volumes']>;

afterAll(closeMachines);

/** Hosts with their own disks: loop devices behind the volumes of a Hetzner Cloud emulator. */
describe.skipIf(why)('volumes of hosts with disks', () => {
  let cloud: HetznerStandIn;
  let engine: TestEngine;
  beforeAll(async () => {
    cloud = await startHetzner({ hosts: 'docker', disks: true });
    engine = await startTestEngine({ HCLOUD_TOKEN: cloud.token, HCLOUD_ENDPOINT: cloud.endpoint });
  });
  afterAll(async () => {
    await endAll(engine);
    await engine.stop();
    await cloud.close();
  });

  const define = (db: Volumes, bare: Volumes = []): Definition =>
    definitionOf({
      infra,
      provider: 'hetzner',
      servers: [
        { name: 'db-1', role: 'db', volumes: db },
        { name: 'bare', role: 'bare', volumes: bare },
      ],
      taskservs: [{ name: 'redis', on: { role: 'db' } }],
    });
  const apply = (definition: Definition, more = {}) => ({
    infra,
    definition,
    onFailure: 'keep' as const,
    timing: { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200 },
    ...more,
  });
  const shell = (name: string, script: string): Promise<string> => {
    const row = [...cloud.world.state.servers.values()].find(({ labels }) => labels['provisioning.name'] === name);
    const machine = cloud.world.machines.get(row?.id ?? 0);
    if (!machine) throw new Error(`no machine ${name}`);
    return machine.shell(script);
  };
  const titles = (plan: readonly { on: string; taskserv?: string; title: string }[]) =>
    plan.map(({ on, taskserv, title }) => `${taskserv ? `${on}/${taskserv}` : on}: ${title}`);
  /** Returns the size of the file system at a path in whole GiB, its type, and its entries in fstab. */
  const mountAt = (name: string, path: string) =>
    shell(
      name,
      `findmnt -rn -o FSTYPE --mountpoint ${path} || echo none; df -B1 --output=size ${path} | awk 'NR==2 {printf "%.0f\\n", $1/1024^3}'; grep -c ' ${path} ' /etc/fstab || true`,
    );

  const more = { name: 'more', size: '11 GiB', mount: '/srv/more' };
  const logs = { name: 'logs', size: '10 GiB', mount: '/srv/logs' };
  const data = { name: 'data', size: '10 GiB', mount: '/srv/data' };

  test('are mounted at the first boot, and asked for nothing after it', async () => {
    await runWell(engine, apply(define([data])));
    expect(await mountAt('db-1', '/srv/data')).toBe('ext4\n10\n1');
    await shell('db-1', 'echo kept >/srv/data/file');
    expect((await runWell(engine, apply(define([data])))).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('are grown, and mounted where they come later, with or without services', async () => {
    const grown = define([growing ? { ...data, size: '14 GiB' } : data, more], [logs]);
    const check = await runWell(engine, apply(grown, { check: true }));
    const first = await runWell(engine, apply(grown));
    expect(titles(check.plan)).toEqual(titles(first.plan));
    expect(titles(first.plan).filter((line) => line.includes('/volumes'))).toEqual([
      'bare/volumes: Format and mount the volume logs at /srv/logs',
      ...(growing ? ['db-1/volumes: Grow the file system of the volume data at /srv/data'] : []),
      'db-1/volumes: Format and mount the volume more at /srv/more',
    ]);
    expect(first.steps.executed).toBe(first.steps.planned);
    expect(await mountAt('db-1', '/srv/data')).toBe(growing ? 'ext4\n14\n1' : 'ext4\n10\n1');
    expect(await mountAt('db-1', '/srv/more')).toBe('ext4\n11\n1');
    expect(await mountAt('bare', '/srv/logs')).toBe('ext4\n10\n1');
    expect(await shell('db-1', 'cat /srv/data/file')).toBe('kept');
    expect((await runWell(engine, apply(grown))).steps).toEqual({ executed: 0, planned: 0 });

    // As done by hand, or by an interrupted operation.
    await shell('bare', 'echo here >/srv/logs/file; umount /srv/logs');
    await shell('db-1', 'sed -i "\\| /srv/more |d" /etc/fstab');
    const again = await runWell(engine, apply(grown));
    expect(titles(again.plan)).toEqual([
      'bare/volumes: Mount the volume logs at /srv/logs',
      'db-1/volumes: Mount the volume more at /srv/more',
    ]);
    expect(await mountAt('bare', '/srv/logs')).toBe('ext4\n10\n1');
    expect(await shell('bare', 'cat /srv/logs/file')).toBe('here');
    expect(await mountAt('db-1', '/srv/more')).toBe('ext4\n11\n1');
    expect((await runWell(engine, apply(grown))).steps).toEqual({ executed: 0, planned: 0 });
  });

  test('are not mounted over files, and nothing is made for them', async () => {
    const before = cloud.world.state.volumes.size;
    await shell('bare', 'mkdir -p /opt/full; touch /opt/full/file');
    const over = define(
      [growing ? { ...data, size: '14 GiB' } : data, more],
      [logs, { name: 'over', size: '10 GiB', mount: '/opt/full' }],
    );
    const refused = await run(engine, apply(over));
    expect([refused.error?.code, refused.error?.on]).toEqual(['mount-point-in-use', 'bare/over']);
    expect(cloud.world.state.volumes.size).toBe(before);
  });
});
