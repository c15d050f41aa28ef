import { describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { HOST_KNOWS } from '../support/host-packages.js';
import { knowOnly } from '../support/host-snapshot-script.js';
import { differencesOf, keptOfPackages, stateOfHost } from '../support/host-state.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { startMachines } from '../support/machines.js';
import { run, runWell } from '../support/operations.js';

// Uses the users' image: libraries that a removal leaves are visible only on a host without them.
const why = await whyNoHosts('plain');
if (why) console.warn(`left out: ${why}`);

const MACHINES = `adopted-${process.pid}`;
const INFRA = 'shop';
const timing = { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200, giveUpMs: 60_000 };

/** Services that are set up by hand on the host, with their own settings and data. */
const BY_HAND = String.raw`export DEBIAN_FRONTEND=noninteractive
apt-get -q update >/dev/null
${knowOnly(HOST_KNOWS)}
apt-get -q -y --no-install-recommends install nginx redis-server postgresql nftables cron sudo >/dev/null

groupadd -g 1500 shop
useradd -m -d /srv/shop -u 1500 -g shop -s /bin/sh -c 'The shop' -G users shop
useradd -m -s /bin/bash ann
echo 'ann:$6$salt$hashhashhash' | chpasswd -e
install -d -m 700 -o ann -g ann /home/ann/.ssh
cp /root/.ssh/authorized_keys /home/ann/.ssh/authorized_keys
chown ann:ann /home/ann/.ssh/authorized_keys; chmod 640 /home/ann/.ssh/authorized_keys

mkdir -p /srv/www; chmod 2775 /srv/www; chgrp shop /srv/www
echo 'the page of the shop' >/srv/www/index.html; chmod 664 /srv/www/index.html; chown shop:shop /srv/www/index.html
sed -i 's/listen 80 default_server;/listen 8081 default_server;/; /\[::\]:80/d' /etc/nginx/sites-available/default
printf 'server { listen 8080; root /srv/www; }\n' >/etc/nginx/conf.d/shop.conf

sed -i 's/^# *maxmemory <bytes>/maxmemory 33554432/; s/^appendonly no/appendonly yes/' /etc/redis/redis.conf
echo 'requirepass by-hand' >>/etc/redis/redis.conf

v=$(ls /etc/postgresql)
mkdir -p /etc/postgresql/$v/main/conf.d
echo 'work_mem = 7MB' >/etc/postgresql/$v/main/conf.d/10-shop.conf
sed -i '1i local shop shop trust' /etc/postgresql/$v/main/pg_hba.conf
chown -R postgres:postgres /etc/postgresql

printf '#!/usr/sbin/nft -f\nflush ruleset\ntable inet shop {\n  chain input { type filter hook input priority 5; policy accept; tcp dport 9 drop; }\n}\n' >/etc/nftables.conf
chmod 700 /etc/nftables.conf
printf '17 3 * * * root echo by hand\n' >/etc/cron.d/shop
printf 'MAILTO=""\n5 4 * * * root true\n' >/etc/cron.d/provisioning; chmod 600 /etc/cron.d/provisioning
echo '30 2 * * * echo shop' | crontab -u shop -
printf 'shop says hello\n' >/etc/motd
ln -sfn /usr/share/zoneinfo/Asia/Tokyo /etc/localtime; echo Asia/Tokyo >/etc/timezone

systemctl enable -q nginx redis-server postgresql nftables cron
systemctl restart nginx redis-server postgresql nftables cron
for _ in $(seq 60); do runuser -u postgres -- psql -qtc 'select 1' >/dev/null 2>&1 && break; sleep 0.5; done
runuser -u postgres -- psql -q -c 'CREATE ROLE shop LOGIN' -c 'CREATE DATABASE shop OWNER shop'
runuser -u postgres -- psql -q -d shop -c 'CREATE TABLE orders AS SELECT n, md5(n::text) FROM generate_series(1, 5000) n'
REDISCLI_AUTH=by-hand redis-cli set cart full >/dev/null
apt-mark auto sudo >/dev/null; apt-mark hold cron >/dev/null; apt-get -q -y clean`;

/** Queries the services that were set up by hand. */
const SERVED = `curl -fsS http://127.0.0.1:8080/
curl -fsS -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8081/
REDISCLI_AUTH=by-hand redis-cli get cart; REDISCLI_AUTH=by-hand redis-cli config get maxmemory
runuser -u shop -- psql -U shop -d shop -tAc 'SELECT count(*), sum(n) FROM orders' -c 'SHOW work_mem'`;

/** Checks that the definition is in force, and prints its effects. */
const MANAGED = `curl -fsS http://127.0.0.1/; id -nG shop | grep -ow adm; date +%Z; redis-cli config get maxmemory | tail -1
runuser -u postgres -- psql -tAc 'SHOW work_mem'; nft list tables | grep -c provisioning; grep -c cron-job /etc/cron.d/provisioning`;
const MANAGES = ['the page of the definition', 'adm', 'CET', '67108864', '9MB', '1', '1'].join('\n');

/** Files that databases write while they run. The tests query their data instead. */
const DATA = [/^. (file|content|folder|link) \/var\/lib\/(postgresql|redis)\//];

/** The home of a removed account, and the data to roll the removal back. */
const STAYS = [/^\+ \w+ \/home\/new[/:]/, /^\+ \w+ \/var\/lib\/provisioning-firewall[/:]/];

/** Remains of Debian packages that are removed but not purged, without their settings. No purge deletes data. */
const LEFT = [
  /^\+ package \S+ \S+ rc $/,
  // Accounts that own data, and their entries in the account files.
  /^\+ (account|group) (postgres|redis|ssl-cert|crontab)$/,
  /^. content \/etc\/(passwd|shadow|group|gshadow|subuid|subgid): /,
  // Files of the installation: links of runlevels, a certificate, the cluster, folders of pages.
  /^\+ link \/etc\/rc\d\.d\//,
  /^. \w+ \/etc\/ssl\//,
  // Files that a package writes at its installation, so they are not among its settings.
  /^\+ (file|content) \/etc\/(inputrc|locale\.gen|networks): /,
  /^\+ \w+ \/etc\/(postgresql|postgresql-common|apt\/apt\.conf\.d\/02autoremove-postgresql)[/:]/,
  /^\+ \w+ \/(etc\/nginx|var\/www|var\/lib\/nginx|home\/shop|etc\/perl|etc\/ufw)[/:]/,
  /^\+ folder \/var\/lib\/(postgresql|redis): /,
  // Records of once enabled units.
  /^\+ \w+ \/var\/lib\/systemd\/deb-systemd-helper-/,
  /^\+ (link \/etc\/systemd\/system\/multi-user\.target\.wants\/postgresql\.service|unit postgresql\.service): /,
];

describe.skipIf(why)('a host on which services ran already', () => {
  let engine: TestEngine;
  let definition: ReturnType<typeof definitionOf>;
  const old = shellOf(MACHINES, 'old');
  const bare = shellOf(MACHINES, 'bare');
  const both = <T>(of: (shell: typeof old) => Promise<T>) => Promise.all([of(old), of(bare)]);
  let served: string;
  let before: string[][];

  withHostEngine(MACHINES, async (started) => {
    engine = started;
    const machines = await startMachines(engine, MACHINES, ['old', 'bare']);
    await both((shell) => shell('systemctl is-system-running --wait >/dev/null || true'));
    await Promise.all([
      old(BY_HAND),
      bare(`apt-get -q update >/dev/null; ${knowOnly(HOST_KNOWS)}; apt-get -q -y install --only-upgrade perl-base >/dev/null`),
    ]);
    served = await old(SERVED);
    before = await both(stateOfHost);
    definition = definitionOf({
      ...{ infra: INFRA, provider: 'local' },
      servers: ['old', 'bare'].map((name) => ({ name, host: machines.host(name) })),
      taskservs: [
        { name: 'nginx', config: { page: 'the page of the definition\n' } },
        { name: 'redis', config: { maxMemory: '64 MiB' } },
        { name: 'postgres', config: { databases: [{ name: 'added' }], settings: { work_mem: '9MB' } } },
        { name: 'users', config: { users: [{ name: 'shop', shell: '/bin/bash', groups: ['adm'], sudo: true }, { name: 'new' }] } },
        'firewall',
        { name: 'cron', config: { jobs: [{ name: 'job', schedule: '@daily', command: 'true' }] } },
        { name: 'os', config: { timeZone: 'Europe/Berlin', motd: 'managed', sysctl: { 'net.core.somaxconn': 2048 } } },
      ],
    });
  });

  test('is previewed with what it has, and managed by the definition', async () => {
    const wish = { infra: INFRA, definition, timing };
    const { plan, error } = await run(engine, { ...wish, check: true, diff: true });
    expect(error).toBeUndefined();
    const written = (path: string) => plan.find(({ on, title }) => on === 'old' && title === `Write ${path}`);
    const copied = expect.arrayContaining(['a copy of the former file is kept']);
    expect.soft(written('/etc/motd')).toMatchObject({
      ...{ change: 'change', attributes: copied },
      diff: { lines: ['@@ -1 +1 @@', '-shop says hello', '+managed'] },
    });
    // The file has a password and is readable only by some accounts.
    expect.soft(written('/etc/redis/redis.conf')).toMatchObject({ change: 'change', attributes: copied, diff: { hidden: true } });
    expect.soft(JSON.stringify(plan)).not.toContain('by-hand');
    // A held package is installed.
    expect.soft(plan.map(({ on, title }) => `${on} ${title}`)).not.toContain('old Install the package cron');

    await runWell(engine, wish);
    expect.soft((await run(engine, { ...wish, check: true })).plan).toEqual([]);
    expect.soft(await both((shell) => shell(MANAGED))).toEqual([MANAGES, MANAGES]);
  });

  test('is as it was before once its services go; one on which nothing ran is clean', async () => {
    await runWell(engine, { infra: INFRA, intent: { verb: 'delete' }, allowDestroy: true, timing });
    const after = await both(stateOfHost);
    expect.soft(await old(SERVED)).toBe(served);
    expect.soft(differencesOf(before[0] ?? [], after[0] ?? [], [...DATA, ...STAYS])).toEqual([]);
    const kept = await keptOfPackages(bare);
    expect.soft(differencesOf(before[1] ?? [], after[1] ?? [], [...DATA, ...STAYS, ...LEFT, ...kept])).toEqual([]);
  });
});
