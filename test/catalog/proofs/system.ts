import type { Proofs } from '../proof.js';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvb2Jhcg ann@laptop';

export const system: Proofs = {
  'unattended-upgrades': {
    config: {},
    works: 'unattended-upgrade --dry-run --debug 2>&1 | grep -c "Allowed origins are:.*Debian-Security"',
    changed: {
      config: { never: ['libstdc++6'] },
      works: String.raw`unattended-upgrade --dry-run --debug 2>&1 | grep -F 'Initial blacklist: ^libstdc\+\+6$'`,
    },
    units: ['unattended-upgrades'],
  },
  users: {
    config: { users: [{ name: 'ann', authorizedKeys: [KEY] }] },
    works: `getent passwd ann; grep -qF '${KEY}' ~ann/.ssh/authorized_keys`,
    changed: { config: { users: [{ name: 'ann', sudo: true }] }, works: 'runuser -u ann -- sudo -n true' },
    units: [],
  },
};
