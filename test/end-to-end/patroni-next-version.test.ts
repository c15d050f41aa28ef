import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { provisioning } from '../support/command-line.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually } from '../support/operations.js';
import {
  awaitWhole,
  CLIENTS,
  findLeader,
  listMembers,
  longestSilence,
  patroniOnDb,
  ROLES,
  readLedger,
  SHOP,
  startLedger,
} from '../support/patroni-hosts.js';

const why = await whyNoHosts('debian-13');
if (why) console.warn(`left out: ${why}`);

const INFRA = `next-${process.pid}`;
const MEMBERS = ['db-1', 'db-2', 'db-3'];
/** Milliseconds. No limit of speed: a busy machine may take as long. */
const WITHIN = 180_000;

/** The archives of Debian 12 and Debian 13. Packages of Debian 13 have priority. */
const FORMER_ARCHIVE = `sed 's/trixie-security/bookworm-security/; s/trixie-updates//; s/trixie/bookworm/g' /etc/apt/sources.list.d/debian.sources >/etc/apt/sources.list.d/bookworm.sources
printf 'Package: *\\nPin: release n=bookworm*\\nPin-Priority: 100\\n' >/etc/apt/preferences.d/bookworm
apt-get -qq update`;

/** Rows in a database of another owner, with what a dump may forget. */
const ROWS = `SET synchronous_commit = local; CREATE TABLE sale (id serial PRIMARY KEY, what text); INSERT INTO sale (what) SELECT 'row ' || n FROM generate_series(1, 1000000) n; SELECT lo_from_bytea(4711, 'a large object')`;
const TOLD = `SELECT count(*), max(id), (SELECT last_value FROM sale_id_seq), convert_from(lo_get(4711), 'UTF8'), (SELECT rolpassword FROM pg_authid WHERE rolname = 'shop') FROM sale`;

describe.skipIf(why)('three members of patroni go to another major version', () => {
  let engine: TestEngine;
  let folder = '';
  let before = '';
  const on = (name: string) => shellOf(INFRA, name);
  const ops = on('ops');
  const type = (...args: string[]) => provisioning(engine, args, '', folder);
  const query = (at: string, sql: string, database = 'shop') =>
    on(at)(`cd /; runuser -u postgres -- psql -qXtA -v ON_ERROR_STOP=1 -d ${database} -c ${JSON.stringify(sql)}`);
  const upgrade = (...more: string[]) =>
    type('taskserv', 'upgrade', 'patroni', '--infra', INFRA, '--to', '17', '--yes', '--json', ...more);
  const file = () => readFile(join(folder, 'shop.yaml'), 'utf8');
  const hosts = `infra: ${INFRA}
provider: local
servers: [ { name: ops, image: debian-13 }, { name: db, count: 3, image: debian-13 } ]
`;
  /** What follows the version is JSON, which YAML reads. */
  const services = () => {
    const [etcd, patroni] = patroniOnDb(SHOP);
    const lines = [etcd, ...CLIENTS].map((one) => `  - ${JSON.stringify(one)}\n`);
    return `taskservs:
  - name: patroni
    version: '15'
    on: ${JSON.stringify(patroni?.on)}
    config: ${JSON.stringify(patroni?.config)}
${lines.join('')}`;
  };
  const acknowledged = () => readLedger(ops);
  const oneMoreThan = (count: number) =>
    eventually(async () => expect((await acknowledged()).length).toBeGreaterThan(count), WITHIN, 200);
  const writesGoOn = async () => oneMoreThan((await acknowledged()).length + 3);

  /** Each acknowledged write is on each member. */
  const keepsAll = async () => {
    const promised = (await acknowledged()).map(([n]) => n);
    for (const name of MEMBERS)
      await eventually(
        async () => {
          const kept = new Set((await query(name, 'SELECT n FROM ledger')).split('\n').map(Number));
          expect(promised.filter((n) => !kept.has(n))).toEqual([]);
        },
        WITHIN,
        500,
      );
    return promised.length;
  };
  const versionIs = async (version: string) => {
    await awaitWhole(on('db-1'), 2, WITHIN);
    for (const name of MEMBERS) expect(await query(name, 'SHOW server_version')).toMatch(new RegExp(`^${version}`));
    expect(await query(await findLeader(on('db-1')), TOLD)).toBe(before);
    expect(await file()).toContain(`version: '${version}'`);
  };
  const nothingLeft = async () => {
    const next = await type('apply', 'shop.yaml', '--check', '--json');
    expect([next.code, JSON.parse(next.stdout).plan]).toEqual([0, []]);
  };
  const report = (what: string, since: number, silence: number) =>
    console.log(`${what}: ${((Date.now() - since) / 1_000).toFixed(0)} s, ${(silence / 1_000).toFixed(1)} s of it without writes`);

  withHostEngine(INFRA, async (started) => {
    engine = started;
    folder = await mkdtemp(join(tmpdir(), 'patroni-next-'));
    for (const name of ROLES) expect(await provisioning(engine, ['secret', 'set', name], `of ${name}`)).toMatchObject({ code: 0 });
    await writeFile(join(folder, 'shop.yaml'), hosts);
    expect(await type('apply', 'shop.yaml', '--yes')).toMatchObject({ code: 0 });
    await Promise.all(MEMBERS.map((name) => on(name)(FORMER_ARCHIVE)));
    await writeFile(join(folder, 'shop.yaml'), hosts + services());
    const began = Date.now();
    expect(await type('apply', 'shop.yaml', '--yes')).toMatchObject({ code: 0 });
    console.log(`installed with PostgreSQL 15 in ${((Date.now() - began) / 1_000).toFixed(0)} s`);
    const leader = await findLeader(on('db-1'));
    await query(leader, ROWS);
    await query(leader, 'SET ROLE shop; CREATE TABLE ledger (n int PRIMARY KEY)');
    before = await query(leader, TOLD);
    await versionIs('15');
    await startLedger(ops);
    await writesGoOn();
  });
  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('a second run has nothing to do, and the preview tells that clients are not served', async () => {
    await nothingLeft();
    const shown = await type('taskserv', 'upgrade', 'patroni', '--infra', INFRA, '--to', '17', '--check');
    expect([shown.code, shown.stdout]).toEqual([
      0,
      expect.stringContaining('clients are not served until a second member has PostgreSQL 17'),
    ]);
    expect(await file()).toContain(`version: '15'`);
  });

  test('an extension that the new version lacks is named, and nobody is cut off', async () => {
    const leader = await findLeader(on('db-1'));
    for (const name of MEMBERS)
      await on(name)(
        `cd /usr/share/postgresql/15/extension; printf "comment = 'x'\\ndefault_version = '1'\\n" >own.control; touch own--1.sql`,
      );
    await query(leader, 'CREATE EXTENSION own');
    const since = Date.now();
    const refused = await upgrade('--on-failure', 'rollback');
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('own (in the database shop)')]);
    await query(leader, 'DROP EXTENSION own');
    await writesGoOn();
    report('refused for an extension', since, longestSilence(await acknowledged(), since));
    expect(await findLeader(on('db-1'))).toBe(leader);
    await versionIs('15');
    await nothingLeft();
  });

  /** A small file system for the new version. */
  const NEW_FOLDER = '/var/lib/postgresql/17';
  const mountSmall = (name: string, mebibytes: number) =>
    on(name)(
      `runuser -u postgres -- mkdir -p ${NEW_FOLDER}; mount -t tmpfs -o size=${mebibytes}m,uid=$(id -u postgres),gid=$(id -g postgres),mode=755 tmpfs ${NEW_FOLDER}`,
    );
  const unmount = (name: string) => on(name)(`umount ${NEW_FOLDER}`);

  test('a disk without room for the copy is found before anything is changed, also that of a follower', async () => {
    const leader = await findLeader(on('db-1'));
    for (const name of [leader, MEMBERS.find((one) => one !== leader) ?? '']) {
      await mountSmall(name, 90);
      const since = Date.now();
      const refused = await upgrade('--on-failure', 'rollback');
      expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('have to be free in /var/lib/postgresql')]);
      if (name !== leader) expect(refused.stdout).toContain(`${name} gets a copy`);
      await unmount(name);
      await writesGoOn();
      report(
        `refused for the disk of ${name === leader ? 'the leader' : 'a follower'}`,
        since,
        longestSilence(await acknowledged(), since),
      );
      expect(await on(leader)('dpkg -l postgresql-17 2>/dev/null | grep -c ^ii || true')).toBe('0');
    }
    expect(await findLeader(on('db-1'))).toBe(leader);
    await versionIs('15');
    await nothingLeft();
  });

  test('the former version leads again with all writes if the disk of the leader is full', async () => {
    const leader = await findLeader(on('db-1'));
    // Room for the check and an empty cluster. Once clients are kept out, the data does not fit.
    await mountSmall(leader, 2_000);
    await on(leader)(
      `nohup bash -c 'until grep -qs ^halting ${NEW_FOLDER}/provisioning.upgrade; do sleep 0.1; done; mount -o remount,size=90m ${NEW_FOLDER}' >/dev/null 2>&1 </dev/null &`,
    );
    const since = Date.now();
    const failed = await upgrade('--on-failure', 'rollback');
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('No space left on device')]);
    await unmount(leader);
    await writesGoOn();
    report('failed at the copy, and returned', since, longestSilence(await acknowledged(), since));
    expect(await findLeader(on('db-1'))).toBe(leader);
    await versionIs('15');
    await keepsAll();
    await nothingLeft();
  });

  /** Keeps Patroni of a member from starting with the new version. */
  const DROP_IN = '/etc/systemd/system/patroni.service.d/refusing.conf';
  const breakStart = (name: string) =>
    on(name)(
      `mkdir -p $(dirname ${DROP_IN}); printf '[Service]\\nExecStartPre=/bin/sh -c "! grep -q /17/ /etc/patroni/config.yml"\\n' >${DROP_IN}; systemctl daemon-reload`,
    );
  const repairStart = (name: string) => on(name)(`rm ${DROP_IN}; systemctl daemon-reload`);
  const followersOf = (leader: string) => MEMBERS.filter((name) => name !== leader);

  test('the former version leads again with all writes if no other member can join', async () => {
    const followers = followersOf(await findLeader(on('db-1')));
    for (const name of followers) await breakStart(name);
    const since = Date.now();
    const failed = await upgrade('--on-failure', 'rollback');
    expect(failed.code).toBe(1);
    expect(failed.stdout).not.toContain('cannot-be-undone');
    // The roll-back itself waits until all members follow.
    expect(await listMembers(on('db-1'))).toHaveLength(3);
    for (const name of followers) await repairStart(name);
    await writesGoOn();
    report('failed at the first follower, and returned', since, longestSilence(await acknowledged(), since));
    await versionIs('15');
    await keepsAll();
    await nothingLeft();
  });

  test('writes to the new version are kept if a later member fails, which joins by the next apply', async () => {
    const leader = await findLeader(on('db-1'));
    const [first = '', last = ''] = followersOf(leader);
    await breakStart(last);
    const since = Date.now();
    const failed = await upgrade('--on-failure', 'rollback');
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('17 has taken writes')]);
    await repairStart(last);
    await writesGoOn();
    report('upgraded without the last follower', since, longestSilence(await acknowledged(), since));
    for (const name of [leader, first]) expect(await query(name, 'SHOW server_version')).toMatch(/^17/);
    // It waits with its former data, and is no member of the new version.
    expect(await on(last)('sed -n "s/^namespace: //p" /etc/patroni/config.yml')).toBe('"/patroni/"');
    expect(await on(last)('systemctl is-active patroni')).toBe('active');
  });

  test('all members have the new version, and no acknowledged write is lost', async () => {
    const since = Date.now();
    // Some of the version is on hosts, so the definition names it.
    const done = await type('apply', 'shop.yaml', '--yes', '--json', '--on-failure', 'rollback');
    expect([done.code, JSON.parse(done.stdout).error]).toEqual([0, undefined]);
    await writesGoOn();
    report('upgraded the last follower', since, longestSilence(await acknowledged(), since));
    await versionIs('17');
    await nothingLeft();

    // Writes of the time since are on the new version only.
    const { operation } = JSON.parse(done.stdout);
    const refused = await type('workflow', 'rollback', operation, '--yes');
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([1, expect.stringContaining('17 has taken writes')]);
    await writesGoOn();
    await versionIs('17');

    await ops('touch /tmp/stop');
    console.log(`${await keepsAll()} acknowledged writes, all kept`);
  });
});
