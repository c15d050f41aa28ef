import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { cloudInit } from '../../core/machine/cloud-init.js';
import { hostAccess, logIn } from '../contracts/host-access.js';
import { whyNoHosts } from '../support/hosts.js';
import { booted, closeMachines, type Machine, startMachine } from './machines.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

describe.skipIf(why)('a machine of a stand-in', { timeout: 240_000 }, () => {
  afterAll(closeMachines);
  const access = hostAccess();
  const userData = cloudInit({ hostname: 'web-1', access, mounts: [{ device: '/dev/disk/by-id/scsi-7', mount: '/srv/data' }] });

  const login = async ({ address }: Machine, command: string): Promise<{ stdout: string; hostKey: string }> => {
    for (let left = 100; ; left--) {
      try {
        return await logIn({ address }, access.privateKey, command);
      } catch (error) {
        if (left === 0) throw error;
        await sleep(100);
      }
    }
  };
  test('boots with the user data, keeps its address over a stop, and sees others of its network', async () => {
    const [one, two] = await Promise.all([startMachine({ name: 'web-1', userData }), startMachine({ name: 'web-2', userData })]);
    const first = await login(one, 'cloud-init status --wait; hostname; test -d /srv/data && echo mounted');
    expect(first.stdout.trim().split('\n')).toEqual(['status: done', 'web-1', 'mounted']);
    expect(first.hostKey).toBe(access.hostKey.public.split(' ')[1]);
    await one.join(7, '10.20.0.2/24');
    await two.join(7, '10.20.0.3/24');
    const reach = (from: Machine, to: string) => login(from, `timeout 5 bash -c 'head -c 7 </dev/tcp/${to}/22'; true`);
    expect((await reach(two, '10.20.0.2')).stdout).toBe('SSH-2.0');
    await one.stop();
    expect(one.running).toBe(false);
    await one.start();
    await booted(one);
    expect((await login(one, 'hostname')).stdout.trim()).toBe('web-1');
    expect((await reach(two, '10.20.0.2')).stdout).toBe('SSH-2.0');
    await one.remove();
    await two.remove();
  });

  test('may be nothing but an address', async () => {
    const machine = await startMachine({ name: 'web-3', hosts: 'none' });
    expect([machine.running, machine.address]).toEqual([true, expect.stringMatching(/^198\.19\./)]);
    await machine.stop();
    expect(machine.running).toBe(false);
  });
});
