import { describe, expect, test } from 'vitest';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { differencesOf, stateOfHost } from '../support/host-state.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { startMachines } from '../support/machines.js';
import { run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const MACHINES = `adopted-${process.pid}`;
const INFRA = 'shop';
const timing = { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200, giveUpMs: 60_000 };

/** What somebody set up by hand on the host, with settings and data of their own. */
const BY_HAND = String.raw`export DEBIAN_FRONTEND=noninteractive
apt-get -q update >/dev/null
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
echo 'work_mem = 7MB' >/etc/postgresql/$v/main/conf.d/shop.conf
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
apt-mark auto sudo >/dev/null; apt-mark hold cron >/dev/null`;

/** What the services answer that were set up by hand. */
const SERVED = `curl -fsS http://127.0.0.1:8080/
curl -fsS -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8081/
REDISCLI_AUTH=by-hand redis-cli get cart; REDISCLI_AUTH=by-hand redis-cli config get maxmemory
runuser -u shop -- psql -U shop -d shop -tAc 'SELECT count(*), sum(n) FROM orders' -c 'SHOW work_mem'`;

/** What databases write while they run; their data is asked of them. */
const DATA = [/^. (file|content|folder|link) \/var\/lib\/(postgresql|redis)\//];

/** What is not taken off: the package's own settings and account, for its data is there still; and an empty folder. */
const OF_REMOVED_PACKAGES = [/^. package \S+ \S+ rc $/];

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
    await old(BY_HAND);
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

  test('is managed, and is as it was before once its services go', async () => {
    const preview = await run(engine, { infra: INFRA, definition, timing, check: true, diff: true });
    expect(preview.error).toBeUndefined();
    console.log(JSON.stringify(preview.plan.filter(({ on }) => on?.startsWith('old')).map(({ title, attributes, diff }: any) => [title, attributes, diff?.lines?.slice(0, 3)]), null, 1));
    await runWell(engine, { infra: INFRA, definition, timing });
    const again = await run(engine, { infra: INFRA, definition, timing, check: true, diff: true });
    if (again.plan.length) console.log(JSON.stringify(again.plan, null, 1));
    expect.soft(again.plan).toEqual([]);
    expect(await old('curl -fsS http://127.0.0.1/; id -nG shop; readlink /etc/localtime; redis-cli config get maxmemory')).toContain('');

    const gone = await run(engine, { infra: INFRA, intent: { verb: 'delete' }, allowDestroy: true, timing });
    console.log(JSON.stringify([gone.status, gone.error, gone.plan.map(({on,title}: any)=>[on,title])], null, 1));
    const after = await both(stateOfHost);
    console.log(differencesOf(before[0] ?? [], after[0] ?? []).join('\n'));
    console.log('---- bare');
    console.log(differencesOf(before[1] ?? [], after[1] ?? []).join('\n'));
    expect.soft(await old(SERVED).catch(String)).toBe(served);
    expect.soft(differencesOf(before[0] ?? [], after[0] ?? [], DATA)).toEqual([]);
    expect.soft(differencesOf(before[1] ?? [], after[1] ?? [], [...DATA, ...OF_REMOVED_PACKAGES])).toEqual([]);
  });
});
