import type { Proofs } from '../proof.js';

export const security: Proofs = {
  aide: {
    config: { paths: ['/usr/local', '/srv/watched'], exclude: ['/usr/local/lib'] },
    works: `touch /usr/local/lib/left-out; rm -f /srv/watched; systemctl start aide-check
echo changed >/srv/watched; if systemctl start aide-check; then exit 1; fi
journalctl -q -o cat -u aide-check | grep 'f++.*: /srv/watched'
! journalctl -q -o cat -u aide-check | grep left-out`,
    changed: {
      config: { paths: ['/srv/watched'] },
      works: `systemctl start aide-check
echo other >/srv/watched; if systemctl start aide-check; then exit 1; fi
journalctl -q -o cat -u aide-check | grep 'File: /srv/watched'; echo changed >/srv/watched`,
    },
    units: ['aide-check.timer'],
    gone: '[ ! -e /etc/aide/provisioning.conf ]',
  },
  fail2ban: {
    config: { banTime: '1 h' },
    works: `banned() { nft list ruleset | grep -c 192.0.2.7; }
until_is() { for _ in $(seq 20); do "$@" >/dev/null && return; sleep 0.5; done; return 1; }
gone() { ! banned; }
fail2ban-client set sshd banip 192.0.2.7; until_is banned
fail2ban-client set sshd unbanip 192.0.2.7; until_is gone`,
    changed: { config: { banTime: '2 h' }, works: '[ "$(fail2ban-client get sshd bantime)" = 7200 ]' },
    units: ['fail2ban'],
  },
  firewall: {
    config: {},
    works: 'nft list table inet provisioning | grep -c "policy drop"',
    changed: {
      config: { allow: [{ port: 9, protocol: 'udp' }] },
      works: 'nft -n list table inet provisioning | grep -c "udp dport 9"',
    },
    units: [],
    gone: '! nft list table inet provisioning 2>/dev/null',
  },
};
