import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { upcloud } from '../../../providers/upcloud/index.js';
import { hostAccess, logIn } from '../../contracts/host-access.js';
import { whyNoHosts } from '../../support/hosts.js';
import { closeMachines } from '../machines.js';
import { startUpCloud } from './stand-in.js';

const why = await whyNoHosts();

describe.skipIf(why)(`a server of upcloud is a host${why ? ` (left out: ${why})` : ''}`, { timeout: 120_000 }, () => {
  afterAll(closeMachines);

  test('that is made, lets us in by the pinned key, sees its network, outlives a resize, is replaced under its address, and is gone after its deletion', async () => {
    const standIn = await startUpCloud({ hosts: 'docker' });
    const outside = { env: { UPCLOUD_TOKEN: standIn.token, UPCLOUD_API_URL: standIn.url }, secret: async () => undefined };
    const { servers, networks } = await upcloud.connect(upcloud.config.parse({ pollMs: 100 }), outside);
    const scope = { workspace: 'hosts', infra: 'up-host', uuid: randomUUID() };
    const access = hostAccess();
    const context = { scope, setup: 'hosts', key: 'operation/step/1' };
    const wanted = {
      name: 'web-1',
      role: 'web',
      plan: upcloud.sizes.small,
      image: 'debian-12',
      labels: {},
      volumes: [{ name: 'data', sizeGiB: 10, mount: '/srv/data' }],
      network: 'default',
    };
    try {
      await networks.create({ name: 'default', range: '10.77.0.0/24' }, context);
      await servers.create(wanted, { ...context, access });
      const { connection } = await servers.ready('web-1', { scope });
      const address = connection.kind === 'ssh' ? connection.address : '';
      const enter = (command: string) =>
        expect.poll(() => logIn({ address }, access.privateKey, command).catch(String), { timeout: 90_000 });
      const own = access.hostKey.public.split(' ')[1];
      await enter('hostname; test -d /srv/data && echo mounted').toEqual({ stdout: 'web-1\nmounted\n', hostKey: own });
      await enter('ip -4 -o addr show to 10.77.0.0/24 | wc -l').toEqual({ stdout: '1\n', hostKey: own });
      await enter('touch /root/kept').toMatchObject({ stdout: '' });
      await servers.update({ ...wanted, plan: upcloud.sizes.medium }, context);
      expect((await servers.ready('web-1', { scope })).connection).toEqual(connection);
      await enter('ls /root/kept').toEqual({ stdout: '/root/kept\n', hostKey: own });
      const reserved = { ...wanted, volumes: [], plan: upcloud.sizes.medium, address: 'reserved' as const };
      await servers.update({ ...reserved, volumes: wanted.volumes }, context);
      await servers.delete('web-1', { scope, replaced: true });
      await servers.create(reserved, { ...context, access });
      expect((await servers.ready('web-1', { scope })).connection).toEqual(connection);
      await enter('ls /root/kept 2>&1 | tail -c 10').toEqual({ stdout: 'directory\n', hostKey: own });
      await servers.delete('web-1', { scope });
      await networks.delete('default', { scope });
      await expect(logIn({ address }, access.privateKey, 'true')).rejects.toThrow();
      expect([standIn.world.machines.size, standIn.world.account.storages.size]).toEqual([0, 0]);
    } finally {
      await standIn.close();
    }
  });
});
