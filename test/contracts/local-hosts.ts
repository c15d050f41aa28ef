import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../core/machine/call-context.js';
import type { Connection, ProviderConnection, WantedServer } from '../../core/machine/provider.js';
import { containerOptions } from '../../providers/local/docker/container.js';
import { dockerImage } from '../../providers/local/images.js';
import { local } from '../../providers/local/index.js';
import { ensureVolumes } from '../../providers/local/volumes.js';
import { hostAccess, logIn, type TestAccess } from './host-access.js';

/**
 * Tests guarantees that only containers give: SSH with pinned keys, names on the network, completion of a partially
 * created server, a port that moves.
 */
export function hostsOfLocal(docker: Docker, connect: () => Promise<ProviderConnection>): void {
  describe('hosts of local', { timeout: 180_000 }, () => {
    const scope: Scope = { workspace: 'contract', infra: `h${randomUUID().slice(0, 6)}`, uuid: randomUUID() };
    const keys: Record<string, TestAccess> = { 'a-1': hostAccess(), 'b-1': hostAccess() };
    const wanted = (name: string, changes: Partial<WantedServer> = {}): WantedServer => ({
      name,
      role: 'web',
      plan: local.sizes.small,
      image: local.images.default,
      labels: {},
      volumes: [{ name: 'data', sizeGiB: 1, mount: '/srv/data' }],
      network: 'default',
      ...changes,
    });
    let connection: ProviderConnection;
    const ready = (name: string) => connection.servers.ready(name, { scope, signal: AbortSignal.timeout(120_000) });

    beforeAll(async () => {
      connection = await connect();
      await connection.networks.create({ name: 'default' }, { scope, key: 'k' });
    });

    afterAll(async () => {
      for (const { name } of await connection.servers.list({ scope })) await connection.servers.delete(name, { scope });
      for (const { name } of await connection.volumes.list({ scope })) await connection.volumes.delete(name, { scope });
      await connection.networks.delete('default', { scope });
    });

    it('are completed when the try that made their container was killed before the keys were in it', async () => {
      const half = wanted('a-1');
      await ensureVolumes(docker, half, { scope, key: 'contract/volumes/1' });
      const machine = { cores: 1, cgroup: (await docker.info()).CgroupVersion === '2' ? '2' : '1' } as const;
      const made = await docker.createContainer(containerOptions(half, { scope, key: 'k' }, dockerImage({}, half.image), machine));
      expect((await connection.servers.read('a-1', { scope }))?.status).toBe('starting');
      const found = await connection.servers.create(half, { scope, key: 'k', access: accessOf('a-1') });
      expect(found.id).toBe(made.id);
      await ready('a-1');
    });

    it('let us in with our key, bear the host key that was given, and have systemd running', async () => {
      await connection.servers.create(wanted('b-1'), { scope, key: 'k', access: accessOf('b-1') });
      const { connection: address } = await ready('b-1');
      const answer = await login(
        address,
        accessOf('b-1'),
        'hostname; systemctl is-system-running --wait; id -u; findmnt -n -o TARGET /srv/data',
      );
      expect(answer.stdout.trim().split('\n')).toEqual(['b-1', 'running', '0', '/srv/data']);
      expect(answer.hostKey).toBe(publicPart(accessOf('b-1').hostKey.public));
    });

    it('find each other by name and install packages', async () => {
      const { connection: address } = await ready('a-1');
      const looked = await login(
        address,
        accessOf('a-1'),
        'getent hosts b-1 >/dev/null && echo found; apt-get install -y --no-install-recommends -qq nginx-light >/dev/null 2>&1; systemctl is-active nginx',
      );
      expect(looked.stdout.trim().split('\n')).toEqual(['found', 'active']);
      const back = await login(
        (await ready('b-1')).connection,
        accessOf('b-1'),
        'curl -s -o /dev/null -w "%{http_code}" http://a-1/',
      );
      expect(back.stdout).toBe('200');
    });

    it('are reached after a restart behind our back, wherever their port is now', async () => {
      const before = await ready('b-1');
      await docker.getContainer(before.id).restart();
      const { connection: address } = await ready('b-1');
      expect((await login(address, accessOf('b-1'), 'hostname')).stdout.trim()).toBe('b-1');
    });

    it('join their network again after they lost it', async () => {
      const { id } = await ready('b-1');
      const [name] = Object.keys((await docker.getContainer(id).inspect()).NetworkSettings.Networks);
      await docker.getNetwork(name ?? '').disconnect({ Container: id, Force: true });
      const lost = await connection.servers.read('b-1', { scope });
      expect(lost && connection.servers.diff(wanted('b-1'), lost)).toEqual({
        action: 'update',
        changes: ['it joins the network "default" again'],
      });
      await connection.servers.update(wanted('b-1'), { scope, key: 'k' });
      const { connection: address } = await ready('b-1');
      expect((await login(address, accessOf('b-1'), 'getent hosts a-1 >/dev/null && echo found')).stdout.trim()).toBe('found');
    });

    it('whose limits were changed by hand differ from their plan', async () => {
      const { id } = await ready('b-1');
      await docker.getContainer(id).update({ Memory: 512 * 1024 ** 2, MemorySwap: 512 * 1024 ** 2 });
      const found = await ready('b-1');
      expect(found.plan).toBe('1 cores, 512 MiB');
      expect(connection.servers.diff(wanted('b-1'), found).action).toBe('update');
    });

    it('that exist already are neither made nor deleted', async () => {
      const host = { kind: 'ssh', address: '192.0.2.7', port: 2222, user: 'admin' } as const;
      const found = await connection.servers.create(wanted('metal-1', { host }), { scope, key: 'k', access: accessOf('a-1') });
      expect(found).toMatchObject({ id: 'host:192.0.2.7:2222', connection: { kind: 'ssh', address: '192.0.2.7', user: 'admin' } });
      expect((await connection.servers.list({ scope })).map(({ name }) => name)).not.toContain('metal-1');
    });

    function accessOf(name: string): TestAccess {
      const found = keys[name];
      if (!found) throw new Error(`no keys for ${name}`);
      return found;
    }
  });
}

const publicPart = (line: string) => line.split(' ')[1];

function login(address: Connection, access: TestAccess, command: string): Promise<{ stdout: string; hostKey: string }> {
  if (address.kind !== 'ssh') throw new Error('not an SSH connection');
  return logIn(address, access.privateKey, command);
}
