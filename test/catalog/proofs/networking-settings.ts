import type { Proofs } from '../proof.js';

/** Settings of a host's network. */
export const networkingSettings: Proofs = {
  'ip-aliases': {
    config: { addresses: [{ address: '192.0.2.7/32' }, { address: '192.0.2.8/32', interface: 'lo' }] },
    works: `ip -o address show dev lo | grep 'inet 192.0.2.8/32'
ip -o address show dev "$(ip -o route show default | sed 's/.* dev \\([^ ]*\\).*/\\1/')" | grep 'inet 192.0.2.7/32'
exec 3<>/dev/tcp/192.0.2.7/22; head -c 4 <&3 | grep SSH-`,
    changed: {
      config: { addresses: [{ address: '192.0.2.9/32' }] },
      works: 'ip -o address show to 192.0.2.9 | grep inet; [ "$(ip -o address show | grep -c 192.0.2)" = 1 ]',
    },
    units: ['provisioning-ip-aliases'],
    gone: '! ip -o address show | grep 192.0.2',
  },
  resolv: {
    config: { servers: ['127.0.0.11'] },
    // Then systemd-resolved resolves the host's names.
    works: `if getent hosts deb; then exit 1; fi
getent hosts deb.debian.org
if ! [ -L /etc/resolv.conf ]; then
  [ -s /etc/resolv.conf.before-provisioning ]
  install -D /dev/stdin /etc/systemd/resolved.conf.d/proof.conf <<<$'[Resolve]\nLLMNR=no'
  apt-get install -q -y --no-install-recommends systemd-resolved
  umount /etc/resolv.conf; ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf
fi`,
    changed: {
      config: { servers: ['127.0.0.11'], search: ['debian.org'] },
      works: `getent hosts deb
resolvectl dns | grep 'Global: 127.0.0.11'`,
    },
    units: [],
    gone: 'if resolvectl dns | grep "Global: 127.0.0.11"; then exit 1; fi; ! getent hosts deb',
  },
};
