import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { local } from '../../../../providers/local/index.js';
import { makePair } from '../../../../stores/key-pair.js';
import { hostImage } from '../../host-image.js';
import { containersOf, execIn, sweep, whyNoHosts } from '../../hosts.js';
import { kubeHostScript, removeKubeGroups } from './kube-host.js';

const INFRA = 'kube-host';
const SYSTEM = '/sys/fs/cgroup';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

/** Starts a host that may run containers. Returns the id of its container. */
async function startHost(): Promise<string> {
  const { servers, networks } = await local.connect(local.config.parse({ image: hostImage(), nestedContainers: true }));
  const context = { scope: { workspace: 'default', infra: INFRA, uuid: randomUUID() }, key: 'test' };
  await networks.create({ name: INFRA }, context);
  const pair = makePair('test');
  const machine = { plan: local.sizes.small, image: local.images.default, labels: {}, volumes: [], network: INFRA };
  await servers.create(
    { name: 'box', role: 'box', ...machine },
    { ...context, access: { authorizedKey: pair.public, hostKey: pair } },
  );
  await servers.ready('box', context);
  const [id = ''] = await containersOf(INFRA, 'box');
  return id;
}

describe.skipIf(why)('a host for a kubelet', () => {
  afterAll(() => sweep(INFRA));

  test('has what a kubelet looks for, also after a restart, and the machine keeps its settings', async () => {
    const read = () => execFileSync('sysctl', ['-n', 'vm.overcommit_memory', 'kernel.panic', 'kernel.panic_on_oops']).toString();
    const before = read();
    const id = await startHost();
    await execIn(id, kubeHostScript());
    const group = `kube-${id.slice(0, 12)}`;
    for (const round of ['first', 'restarted']) {
      if (round === 'restarted') {
        execFileSync('docker', ['restart', id], { stdio: 'ignore' });
        await execIn(id, 'for i in $(seq 60); do systemctl -q is-active kube-host && exit; sleep 0.5; done; exit 1');
      }
      expect(await execIn(id, 'sysctl -n vm.overcommit_memory kernel.panic kernel.panic_on_oops')).toBe('1\n10\n1');
      expect(await execIn(id, 'cat /etc/default/kubelet')).toBe(`KUBELET_EXTRA_ARGS=--cgroup-root=/${group}`);
      expect(await execIn(id, 'grep -c "^nameserver " /etc/kubernetes/resolv.conf')).not.toBe('0');
      // What kube-proxy does, and what the guard refuses.
      await execIn(id, 'test -e /dev/kmsg && sysctl -qw net.ipv4.conf.all.route_localnet=1');
      await execIn(id, '! timeout 2 bash -c "exec 3<>/dev/tcp/10.96.0.1/443"');
      expect(await execIn(id, 'nft list chain inet kube-host leaves')).toMatch(/counter packets [1-9]/);
    }
    expect(read()).toBe(before);
    await removeKubeGroups();
    const places = [SYSTEM, `${SYSTEM}/memory`, `${SYSTEM}/devices`].map((folder) => `${folder}/${group}`);
    expect(places.some((place) => existsSync(place))).toBe(true);
    await sweep(INFRA);
    await removeKubeGroups();
    expect(places.some((place) => existsSync(place))).toBe(false);
  });
});
