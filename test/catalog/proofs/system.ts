import type { Proofs } from '../proof.js';

const GENERATED_KEY = { generate: 'ssh-key', name: 'ann', part: 'public' };
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvb2Jhcg ann@laptop';

/** Logs in on the host itself as an account whose home gets a new key. */
const logsIn = (account: string): string => `home=$(getent passwd ${account} | cut -d: -f6)
[ -e /root/proof-key ] || ssh-keygen -q -t ed25519 -N '' -f /root/proof-key
install -d -m 0700 -o ${account} $home/.ssh
grep -qsF "$(cat /root/proof-key.pub)" $home/.ssh/authorized_keys || cat /root/proof-key.pub >>$home/.ssh/authorized_keys
chown ${account} $home/.ssh/authorized_keys
enter() { ssh -i /root/proof-key -o BatchMode=yes -o StrictHostKeyChecking=no "$@" true; }`;

/** Waits for the effect of a job that runs every minute. */
const WITHIN_A_MINUTE = 'within_a_minute() { for _ in $(seq 70); do "$@" >/dev/null && return; sleep 1; done; return 1; }';

/** Mirror and proxy on the neighboring server. */
const MIRROR = `export DEBIAN_FRONTEND=noninteractive
{
apt-get update -qq; apt-get install -y -qq nginx-light squid
cat >/etc/nginx/sites-enabled/default <<'EOF'
server { listen 8000; location / { proxy_pass http://deb.debian.org; proxy_http_version 1.1; proxy_set_header Host deb.debian.org; } }
EOF
echo 'http_access allow all' >/etc/squid/conf.d/all.conf
systemctl restart nginx squid
} >/srv/made 2>&1 || { tail -n 5 /srv/made >&2; exit 1; }`;

export const system: Proofs = {
  apt: {
    beside: MIRROR,
    config: { archive: 'http://b:8000/debian', security: 'http://b:8000/debian-security' },
    works: `[ "$(apt-get indextargets --format '$(SITE)' | sort -u)" = "$(printf 'http://b:8000/debian\\nhttp://b:8000/debian-security')" ]
apt-get install -y -qq hello >/dev/null; hello
[ "$(ls /etc/apt/*.disabled /etc/apt/sources.list.d/*.disabled 2>/dev/null | wc -l)" -ge 1 ]`,
    changed: {
      config: { proxy: 'http://b:3128' },
      works: `rm -f /var/lib/apt/lists/*InRelease
apt-get -o Debug::Acquire::http=1 update >/tmp/said 2>&1
. /etc/os-release
# Only a proxy is asked for a whole address.
grep "^GET http://deb.debian.org/debian/dists/$VERSION_CODENAME/InRelease" /tmp/said; apt-config dump | grep -c http://b:3128`,
    },
    units: [],
    gone: `[ ! -e /etc/apt/apt.conf.d/99provisioning ] && ! ls /etc/apt/*.disabled /etc/apt/sources.list.d/*.disabled 2>/dev/null &&
[ "$(apt-get indextargets --format '$(SITE)' | grep -c b:8000)" = 0 ] && apt-get -o APT::Update::Error-Mode=any update >/dev/null`,
  },
  cron: {
    config: {
      jobs: [{ name: 'hello', schedule: '* * * * *', user: 'nobody', command: 'echo "$(id -un) 100% $WORD" >/tmp/hello' }],
      environment: { WORD: 'sure' },
    },
    works: `${WITHIN_A_MINUTE}
within_a_minute grep -sx 'nobody 100% sure' /tmp/hello`,
    changed: {
      config: { jobs: [{ name: 'journal', schedule: '* * * * *', command: 'echo \'said by\' "$(id -un)"' }] },
      works: `${WITHIN_A_MINUTE}
said() { journalctl -q -o cat -t cron-journal | grep -x 'said by root'; }
within_a_minute said
rm -f /tmp/hello; sleep 61; [ ! -e /tmp/hello ]`,
    },
    units: [],
    gone: '[ ! -e /etc/cron.d/provisioning ]',
  },
  logrotate: {
    config: { rules: [{ paths: ['/var/log/proof/*.log'], maxSize: '1 KiB', reload: 'proof' }] },
    works: `mkdir -p /var/log/proof; head -c 2000 /dev/zero >/var/log/proof/a.log
printf '[Service]\nExecStart=sleep 1d\nExecReload=touch /run/reloaded\n' >/run/systemd/system/proof.service
systemctl daemon-reload; systemctl start proof
systemctl start logrotate.service
[ "$(stat -c %s /var/log/proof/a.log.1)" = 2000 ] && [ ! -s /var/log/proof/a.log ] && [ -e /run/reloaded ]`,
    changed: {
      config: { rules: [{ paths: ['/var/log/proof/*.log'], maxSize: '1 KiB', keep: 1, copy: true, compress: false }] },
      works: `inode=$(stat -c %i /var/log/proof/a.log)
for _ in 1 2; do head -c 3000 /dev/zero >/var/log/proof/a.log; systemctl reset-failed logrotate.service; systemctl start logrotate.service; done
[ "$(stat -c %i /var/log/proof/a.log)" = $inode ] && [ "$(stat -c %s /var/log/proof/a.log.1)" = 3000 ] && [ ! -e /var/log/proof/a.log.2 ]`,
    },
    units: [],
    gone: '[ ! -e /etc/logrotate.d/provisioning ] && systemctl is-active logrotate.timer',
  },
  os: {
    config: { limits: [{ who: '*', what: 'nofile', value: 4321 }], timeZone: 'Europe/Berlin' },
    works: `getent passwd ann || useradd -m ann
[ "$(su - ann -c 'ulimit -n')" = 4321 ]
[ "$(su - ann -c 'ulimit -c')" = 0 ]
[ "$(systemd-run --quiet --wait --pipe sh -c 'ulimit -Hc')" = 0 ]
date -d 2026-07-01 +%Z | grep -x CEST
/lib/systemd/systemd-sysctl --cat-config | grep -e '-kernel.kptr_restrict = 2'`,
    changed: {
      config: { coreDumps: true, hardening: false, sysctl: { 'vm.swappiness': 10 }, timeZone: 'UTC', locale: 'C.UTF-8' },
      works: `[ "$(systemd-run --quiet --wait --pipe sh -c 'ulimit -Hc')" = unlimited ]
[ "$(su - ann -c 'ulimit -n')" != 4321 ]
date +%Z | grep -x UTC
/lib/systemd/systemd-sysctl --cat-config | grep -x 'vm.swappiness = 10'
! /lib/systemd/systemd-sysctl --cat-config | grep kptr_restrict`,
    },
    units: [],
    gone: `[ ! -e /etc/sysctl.d/90-provisioning.conf ] && [ ! -e /etc/security/limits.d/90-provisioning.conf ]`,
  },
  ssh: {
    config: { maxTries: 3 },
    works: `getent passwd ann || useradd -m ann
${logsIn('ann')}
enter ann@127.0.0.1
if enter -c aes128-cbc ann@127.0.0.1; then exit 1; fi
{ ssh -v -o BatchMode=yes -o PubkeyAuthentication=no ann@127.0.0.1 true 2>&1 || true; } | grep -c 'Permission denied (publickey)'`,
    changed: {
      config: { allowUsers: ['ben'], passwords: true },
      works: `getent passwd ben || useradd -m ben
${logsIn('ben')}
enter ben@127.0.0.1
if enter ann@127.0.0.1; then exit 1; fi
{ ssh -v -o BatchMode=yes -o PubkeyAuthentication=no ben@127.0.0.1 true 2>&1 || true; } | grep -c 'Permission denied (publickey,password)'`,
    },
    units: [],
    gone: `[ ! -e /etc/ssh/sshd_config.d/01-provisioning.conf ]
ssh -i /root/proof-key -o BatchMode=yes ann@127.0.0.1 true`,
  },
  'systemd-units': {
    config: {
      units: [
        {
          name: 'hello',
          command: '/bin/sh -c "echo $WORD 100% >/var/lib/hello/said; ! echo no >/etc/hello && exec sleep 1d"',
          environment: { WORD: 'sure' },
        },
        { name: 'tick', command: '/usr/bin/touch /srv/now', schedule: '*:*:0/2', user: 'root', write: ['/srv'] },
      ],
    },
    works: `sleep 5
grep -x 'sure 100%' /var/lib/hello/said; [ ! -e /etc/hello ]; [ -e /srv/now ]
pid=$(systemctl show -p MainPID --value hello); [ "$(stat -c %U /proc/$pid)" != root ]
kill -9 $pid; sleep 4; [ "$(systemctl show -p MainPID --value hello)" != $pid ]; systemctl is-active hello`,
    changed: {
      config: { units: [{ name: 'hello', command: '/bin/sleep 2d', user: 'nobody', restart: 'always' }] },
      works: `pid=$(systemctl show -p MainPID --value hello)
[ "$(stat -c %U /proc/$pid)" = nobody ]; tr '\\0' ' ' </proc/$pid/cmdline | grep 'sleep 2d'
if systemctl is-active tick.timer; then exit 1; fi; [ ! -e /etc/systemd/system/tick.timer ] && [ ! -e /etc/provisioning-units/hello.env ]`,
    },
    units: ['hello', 'tick.timer'],
    gone: '[ ! -e /etc/systemd/system/hello.service ]',
  },
  time: {
    config: { servers: ['192.0.2.7'], serve: ['127.0.0.0/8'], local: true },
    works: `chronyd -Q -t 20 -f /dev/null 'pidfile /run/proof.pid' 'server 127.0.0.1 iburst' 2>&1 | grep 'System clock wrong by'
chronyc -n sources | grep 192.0.2.7`,
    changed: {
      config: { servers: ['192.0.2.9'] },
      works: `chronyc -n sources | grep 192.0.2.9
if chronyc -n sources | grep 192.0.2.7; then exit 1; fi
! ss -Hlun | grep ':123 '`,
    },
    units: ['chrony'],
  },
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
    config: { users: [{ name: 'ann', authorizedKeys: [KEY, { key: GENERATED_KEY, options: 'restrict' }] }] },
    works: `getent passwd ann; grep -qF '${KEY}' ~ann/.ssh/authorized_keys
sed -n 's/^restrict //p' ~ann/.ssh/authorized_keys >/run/generated.pub; ssh-keygen -l -f /run/generated.pub | grep ED25519`,
    changed: { config: { users: [{ name: 'ann', sudo: true }] }, works: 'runuser -u ann -- sudo -n true' },
    units: [],
  },
};
