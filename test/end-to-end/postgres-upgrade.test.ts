import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';

const why = await whyNoHosts('debian-13');
if (why) console.warn(`left out: ${why}`);

const INFRA = `newer-postgres-${process.pid}`;

/** The archives of Debian 12 and Debian 13. Packages of Debian 13 have priority. */
const FORMER_ARCHIVE = `sed 's/trixie-security/bookworm-security/; s/trixie-updates//; s/trixie/bookworm/g' /etc/apt/sources.list.d/debian.sources >/etc/apt/sources.list.d/bookworm.sources
printf 'Package: *\\nPin: release n=bookworm*\\nPin-Priority: 100\\n' >/etc/apt/preferences.d/bookworm
apt-get -qq update`;

const ROWS = `cd /
sql() { runuser -u postgres -- psql -qXtA -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }
apt-get -qq install -y locales >/dev/null; echo 'de_DE.UTF-8 UTF-8' >/etc/locale.gen; locale-gen >/dev/null; systemctl restart postgresql@15-main
sql postgres "CREATE DATABASE laden TEMPLATE template0 LOCALE 'de_DE.UTF-8' OWNER app"
sql laden "CREATE TABLE ware (name text); INSERT INTO ware VALUES ('Äpfel'), ('Zitronen')"
sql shop "CREATE TABLE sale (id serial PRIMARY KEY, what text); INSERT INTO sale (what) SELECT 'row ' || n FROM generate_series(1, 10000) n"
sql shop "SELECT lo_from_bytea(4711, 'a large object')"
sql shop "CREATE TABLE beat (at timestamptz)"`;

/** Queries whose results must not depend on the version. */
const TOLD = `cd /
sql() { runuser -u postgres -- psql -qXtA -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }
sql shop "SELECT count(*), max(id), currval_of FROM sale, (SELECT last_value AS currval_of FROM sale_id_seq) s GROUP BY 3"
sql shop "SELECT convert_from(lo_get(4711), 'UTF8')"
sql postgres "SELECT datname, pg_get_userbyid(datdba), datcollate FROM pg_database WHERE datname IN ('shop', 'laden') ORDER BY 1"
sql laden "SELECT string_agg(name, ' ' ORDER BY name) FROM ware"
sql postgres "SELECT rolpassword FROM pg_authid WHERE rolname = 'app'"`;

/** A client that writes continuously, and logs the time of each successful write. */
const CLIENT = `cat >/root/client <<'END'
until [ -e /root/stop ]; do
  if PGCONNECT_TIMEOUT=1 runuser -u postgres -- psql -qXtA -d shop -c 'INSERT INTO beat VALUES (now())' 2>/dev/null; then echo "up $(date +%s.%N)"; fi
  sleep 0.1
done >/root/client.log
END
cd / && systemd-run -q --unit=client bash /root/client`;

describe.skipIf(why)('postgres goes to a newer major version', () => {
  const host = shellOf(INFRA, 'db');
  let engine: TestEngine;
  let folder = '';
  let before = '';

  const type = (...args: string[]) => provisioning(engine, args, '', folder);
  const upgrade = () =>
    type('taskserv', 'upgrade', 'postgres', '--infra', INFRA, '--to', '17', '--yes', '--json', '--on-failure', 'rollback');
  const version = () => host(`cd /; runuser -u postgres -- psql -XtAc 'SHOW server_version'`);
  const file = () => readFile(join(folder, 'shop.yaml'), 'utf8');
  const written = (more = '') => `infra: ${INFRA}
provider: local
servers: [ { name: db, image: debian-13 } ]
${more}`;
  const POSTGRES = `taskservs:
  - name: postgres
    version: '15'
    config:
      users: [ { name: app, password: { generate: password } } ]
      databases: [ { name: shop, owner: app } ]
`;

  withHostEngine(INFRA, async (started) => {
    engine = started;
    folder = await mkdtemp(join(tmpdir(), 'postgres-upgrade-'));
    await writeFile(join(folder, 'shop.yaml'), written());
    expect(await type('apply', 'shop.yaml', '--yes')).toMatchObject({ code: 0 });
    await host(FORMER_ARCHIVE);
    await writeFile(join(folder, 'shop.yaml'), written(POSTGRES));
    const applied = await type('apply', 'shop.yaml', '--yes');
    expect(applied).toMatchObject({ code: 0 });
    await host(ROWS);
    before = await host(TOLD);
    expect(await version()).toMatch(/^15/);
  });
  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const servesAsBefore = async () => {
    expect(await version()).toMatch(/^15/);
    expect(await host(TOLD)).toBe(before);
    expect(await host('systemctl is-active postgresql@15-main; grep -cx auto /etc/postgresql/15/main/start.conf')).toBe(
      'active\n1',
    );
    expect(await file()).toContain(`version: '15'`);
    expect(await host('ls -d /var/lib/postgresql/17/main 2>/dev/null || true')).toBe('');
    const next = await type('apply', 'shop.yaml', '--check', '--json');
    expect([next.code, JSON.parse(next.stdout).plan]).toEqual([0, []]);
  };

  test('is refused with sizes where the data does not fit beside itself', async () => {
    await host(`printf '#!/bin/sh\\nprintf "Avail\\\\n102400\\\\n"\\n' >/usr/local/sbin/df; chmod 755 /usr/local/sbin/df`);
    const refused = await upgrade();
    await host('rm /usr/local/sbin/df');
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/which \d+MiB have to be free in .*, and 100MiB are/),
    ]);
    await servesAsBefore();
  });

  test('an extension that the new version lacks is named, and nobody is cut off', async () => {
    await host(`cd /usr/share/postgresql/15/extension; printf "comment = 'x'\\ndefault_version = '1'\\n" >own.control; touch own--1.sql
cd /; runuser -u postgres -- psql -qd shop -c 'CREATE EXTENSION own'`);
    const refused = await upgrade();
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('own (in the database shop)')]);
    await host(`cd /; runuser -u postgres -- psql -qd shop -c 'DROP EXTENSION own'`);
    await servesAsBefore();
  });

  test('the former version serves again where the new one does not start', async () => {
    await host(`mkdir -p /etc/systemd/system/postgresql@17-main.service.d
printf '[Service]\\nExecStartPre=/bin/false\\n' >/etc/systemd/system/postgresql@17-main.service.d/refusing.conf`);
    const failed = await upgrade();
    expect(failed.code).toBe(1);
    await host('rm -r /etc/systemd/system/postgresql@17-main.service.d; systemctl daemon-reload');
    await servesAsBefore();
  });

  test('under a client that reads and writes, with all that was in it, and the next run has nothing to do', async () => {
    await host(CLIENT);
    const done = await upgrade();
    expect([done.code, JSON.parse(done.stdout).error]).toEqual([0, undefined]);
    // The client ends on its own: a killed client may have written rows that it has not logged.
    await host('sleep 1; touch /root/stop; while systemctl is-active -q client; do sleep 0.1; done');
    console.info(
      await host(
        `awk '{if (last && $2-last>gap) gap=$2-last; last=$2} END {printf "nobody was served for %.1f s\\n", gap}' /root/client.log`,
      ),
    );
    expect(await version()).toMatch(/^17/);
    expect(await host(TOLD)).toBe(before);
    // Each write that the client got confirmed is there. A write whose connection was cut may lack its confirmation.
    expect(
      await host(
        `cd /; [ "$(runuser -u postgres -- psql -XtAd shop -c 'SELECT count(*) FROM beat')" -ge "$(grep -c up /root/client.log)" ] && echo kept`,
      ),
    ).toBe('kept');
    expect(await file()).toContain(`version: '17'`);
    expect(await host('systemctl is-active postgresql@15-main || true')).toBe('inactive');
    const next = await type('apply', 'shop.yaml', '--check', '--json');
    expect([next.code, JSON.parse(next.stdout).plan]).toEqual([0, []]);

    // Later writes exist only on the new server, so a roll-back needs an explicit flag.
    const { operation } = JSON.parse(done.stdout);
    const refused = await type('workflow', 'rollback', operation, '--yes');
    expect(refused.code).not.toBe(0);
    expect(await version()).toMatch(/^17/);
  });

  test('the former cluster goes when the definition says so', async () => {
    await writeFile(join(folder, 'shop.yaml'), (await file()).replace('    config:\n', '    config:\n      keepFormer: false\n'));
    const gone = await type('apply', 'shop.yaml', '--yes');
    expect(gone).toMatchObject({ code: 0 });
    expect(await host('ls /var/lib/postgresql')).not.toContain('15');
    expect(await host(TOLD)).toBe(before);
  });
});
