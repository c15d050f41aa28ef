import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `moved-data-${process.pid}`;

/** MB of rows in postgres before the move. */
const MB = Number(process.env.MOVED_MB ?? 50);

const FILL = `cd /
runuser -u postgres -- psql -qX -v ON_ERROR_STOP=1 -d shop <<'END'
CREATE TABLE sale (id bigint PRIMARY KEY, what text);
INSERT INTO sale SELECT n, repeat(md5(n::text), 30) FROM generate_series(1, ${MB} * 1000) n;
CREATE TABLE beat (n bigint PRIMARY KEY, at timestamptz DEFAULT clock_timestamp());
END
seq 1 ${Math.min(MB, 50) * 1000} | sed 's/.*/SET key:& ${'x'.repeat(900)}/' | redis-cli --pipe >/dev/null`;

/** Clients that write all the time, and note each row only once that is acknowledged. */
const CLIENT = `cat >/root/client <<'END'
n=0
while [ ! -e /root/stop ]; do
  n=$((n + 1))
  if PGCONNECT_TIMEOUT=1 runuser -u postgres -- psql -qXtA -d shop -c "INSERT INTO beat VALUES ($n)" 2>/dev/null; then echo "$n" >>/root/rows; fi
  if [ "$(timeout 1 redis-cli set beat:$n 1 2>/dev/null)" = OK ]; then echo "$n" >>/root/keys; fi
done
END
rm -f /root/stop; cd / && systemd-run -q --unit=client-$RANDOM bash /root/client`;

describe.skipIf(why)('the data of postgres and redis moves along', () => {
  const [db, ops] = [shellOf(INFRA, 'db'), shellOf(INFRA, 'ops')];
  let engine: TestEngine;
  let folder = '';

  const type = (...args: string[]) => provisioning(engine, args, '', folder);
  const on = (server: string, more = '') =>
    writeFile(
      join(folder, 'shop.yaml'),
      `infra: ${INFRA}
provider: local
servers: [ { name: db }, { name: ops } ]
taskservs:
  - name: postgres
    on: { server: ${server} }${more}
    config:
      users: [ { name: app, password: { generate: password } } ]
      databases: [ { name: shop, owner: app } ]
  - name: redis
    on: { server: ${server} }${more}
`,
    );
  const sql = (host: typeof db, query: string) => host(`cd /; runuser -u postgres -- psql -XtA -d shop -c "${query}"`);
  const move = '\n    moveData: true';

  withHostEngine(INFRA, async (started) => {
    engine = started;
    folder = await mkdtemp(join(tmpdir(), 'moved-data-'));
    await on('db');
    expect(await type('apply', 'shop.yaml', '--yes')).toMatchObject({ code: 0 });
    await db(FILL);
    await db(CLIENT);
  });
  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('only where that is asked for; with it every row that was acknowledged is there', { timeout: 480_000 }, async () => {
    await on('ops');
    const refused = await type('apply', 'shop.yaml', '--yes');
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain('leave the data of postgres on db, and ops begins without it');

    await on('ops', move);
    const preview = await type('apply', 'shop.yaml', '--check');
    expect(preview.stdout).toContain('its data comes along from db, which keeps a copy in /var/lib/postgresql');
    const moved = await type('apply', 'shop.yaml', '--yes', '--json');
    expect(moved, moved.stdout.slice(-3000)).toMatchObject({ code: 0 });
    await db('touch /root/stop; sleep 2');

    const [rows, keys] = [await db('cat /root/rows'), await db('cat /root/keys')];
    expect(rows.split('\n').length).toBeGreaterThan(50);
    const there = new Set((await sql(ops, 'SELECT n FROM beat')).split('\n'));
    expect(rows.split('\n').filter((row) => !there.has(row))).toEqual([]);
    expect(await sql(ops, 'SELECT count(*), sum(hashtext(what)::bigint) FROM sale')).toMatch(new RegExp(`^${MB * 1000}\\|`));
    const kept = new Set((await ops("redis-cli --scan --pattern 'beat:*'")).split('\n'));
    expect(keys.split('\n').filter((key) => !kept.has(`beat:${key}`))).toEqual([]);
    expect(Number(await ops('redis-cli dbsize'))).toBeGreaterThanOrEqual(Math.min(MB, 50) * 1000);
    // The former copy stays, and nobody serves from it.
    expect(await db('systemctl is-active postgresql@15-main redis-server || true')).not.toMatch(/^active/m);
    expect(await db('ls /var/lib/postgresql/15/main/PG_VERSION /var/lib/redis/dump.rdb')).toContain('dump.rdb');

    // Nothing was written since: the former copy serves again.
    const operation = JSON.parse(moved.stdout).operation as string;
    const back = await type('workflow', 'rollback', operation, '--yes', '--json');
    expect(back, back.stdout.slice(-3000)).toMatchObject({ code: 0 });
    const served = new Set((await sql(db, 'SELECT n FROM beat')).split('\n'));
    expect(rows.split('\n').filter((row) => !served.has(row))).toEqual([]);
    expect(await db('redis-cli ping')).toBe('PONG');
    expect(await ops('systemctl is-active postgresql@15-main redis-server || true')).not.toMatch(/^active/m);

    // Once somebody wrote to the new server, going back would lose that.
    const again = await type('apply', 'shop.yaml', '--yes', '--json');
    expect(again, again.stdout.slice(-3000)).toMatchObject({ code: 0 });
    await sql(ops, 'INSERT INTO beat VALUES (-1)');
    const kept2 = await type('workflow', 'rollback', JSON.parse(again.stdout).operation as string, '--yes');
    expect(kept2.code).not.toBe(0);
    expect(kept2.stdout + kept2.stderr).toContain('was written to since it has the data of db (1 rows)');
    expect(await sql(ops, 'SELECT count(*) FROM beat WHERE n = -1')).toBe('1');
  });
});
