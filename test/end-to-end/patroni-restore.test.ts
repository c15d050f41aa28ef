import { afterAll, describe, expect, test } from 'vitest';
import { keepCertificates, keepSecrets } from '../catalog/keep-certificates.js';
import { bridgeAddress } from '../support/bridge-address.js';
import { provisioning } from '../support/command-line.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, runWell } from '../support/operations.js';
import { awaitWhole, certificateOf, ETCD_NAMES, findLeader, patroniOnDb, ROLES } from '../support/patroni-hosts.js';
import { type S3Store, startS3 } from '../support/s3-store.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `pitr-${process.pid}`;
const MEMBERS = ['db-1', 'db-2', 'db-3'];
/** Milliseconds. No limit of speed: a busy machine may take as long. */
const WITHIN = 180_000;
const SECRETS = [...ROLES, 'repository', 'access', 'secret', 'store-ca'];

describe.skipIf(why)('a cluster of patroni with backups of its log', () => {
  let engine: TestEngine;
  let store: S3Store;
  const on = (name: string) => shellOf(INFRA, name);
  const query = (at: string, sql: string) => on(at)(`cd /; runuser -u postgres -- psql -XtAc ${JSON.stringify(sql)}`);
  const type = (...args: string[]) => provisioning(engine, args, '');

  const define = (isBackedUp: boolean) =>
    definitionOf(
      {
        infra: INFRA,
        provider: 'local',
        servers: [{ name: 'ops' }, { name: 'db', count: 3 }],
        taskservs: patroniOnDb(
          isBackedUp
            ? {
                backups: {
                  ...{ repository: `s3:https://s3.test:${store.port}/backups/shop`, password: { secret: 'repository' } },
                  ...{ accessKey: { secret: 'access' }, secretKey: { secret: 'secret' }, authority: { secret: 'store-ca' } },
                },
              }
            : {},
        ),
      },
      isBackedUp ? SECRETS : ROLES,
    );
  const apply = (isBackedUp: boolean) =>
    runWell(engine, {
      ...{ infra: INFRA, definition: define(isBackedUp) },
      timing: { healthMs: 180_000, heartbeatMs: 10_000, retryMs: 500 },
    });

  withHostEngine(INFRA, async (started) => {
    engine = started;
    store = await startS3('backups');
    await keepCertificates(engine, INFRA, { etcd: certificateOf(ETCD_NAMES), patroni: certificateOf(['patroni']) });
    const values = Object.fromEntries(SECRETS.map((name) => [name, `of ${name}`]));
    await keepSecrets(engine, INFRA, { ...values, 'store-ca': store.certificate.trim() });
    await apply(false);
    for (const name of MEMBERS) await on(name)(`echo '${await bridgeAddress()} s3.test' >>/etc/hosts`);
  });
  afterAll(async () => {
    await store?.stop();
  });

  test('archives its log and has a backup, and a second run does nothing', async () => {
    await apply(true);
    const leader = await findLeader(on('db-1'));
    await awaitWhole(on('db-1'), 2, WITHIN);
    const made = await type('cluster', 'backup', INFRA, '--json');
    expect([made.code, JSON.parse(made.stdout).backups.map((one: { done: boolean }) => one.done)]).toEqual([0, [true, true, true]]);
    expect(await on(leader)('provisioning-pgbackrest list')).toContain('"type": "full"');
    expect((await apply(true)).plan).toEqual([]);
  });

  test('returns to a moment between two transactions, and all members follow', async () => {
    const leader = await findLeader(on('db-1'));
    await query(leader, 'CREATE TABLE sale (n int PRIMARY KEY); INSERT INTO sale SELECT generate_series(1, 1000)');
    const before = new Date((await on(leader)('sleep 1.1; date -u +%FT%T.%3NZ; sleep 1.1')).trim()).toISOString();
    await query(leader, 'DELETE FROM sale WHERE n > 10; INSERT INTO sale VALUES (5000)');
    const system = await query(leader, 'SELECT system_identifier FROM pg_control_system()');

    const shown = await type('cluster', 'restore', INFRA, '--in-place', '--to', before, '--check', '--json');
    expect(shown.code).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({ cluster: 'shop', leader, time: before });
    expect(await query(leader, 'SELECT count(*) FROM sale')).toBe('11');

    const began = Date.now();
    const done = await type('cluster', 'restore', INFRA, '--in-place', '--to', before, '--yes', '--json');
    expect([done.code, done.stdout, done.stderr]).toEqual([0, expect.stringContaining('"done": true'), '']);
    console.log(`restored to a moment in ${((Date.now() - began) / 1_000).toFixed(0)} s`);
    await awaitWhole(on(leader), 2, WITHIN);
    for (const name of MEMBERS)
      await eventually(async () => expect(await query(name, 'SELECT count(*), max(n) FROM sale')).toBe('1000|1000'), WITHIN, 500);
    expect(await query(leader, 'SELECT system_identifier FROM pg_control_system()')).toBe(system);
    // Writes go on, and the log of the new timeline is archived.
    await query(leader, 'INSERT INTO sale VALUES (1001)');
    await on(leader)('runuser -u postgres -- pgbackrest --config=/etc/patroni/pgbackrest.conf --stanza=shop check');
    expect((await apply(true)).plan).toEqual([]);
  });

  test('serves its former data if the restore fails', async () => {
    const leader = await findLeader(on('db-1'));
    const moment = new Date(Date.now()).toISOString();
    const rows = await query(leader, 'SELECT count(*) FROM sale');
    // The server for the replay does not start.
    await on(leader)('touch /run/provisioning-restore');
    const failed = await type('cluster', 'restore', INFRA, '--in-place', '--to', moment, '--yes', '--json');
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('the former data serves again')]);
    await on(leader)('rm -f /run/provisioning-restore');
    await awaitWhole(on(leader), 2, WITHIN);
    expect(await query(leader, 'SELECT count(*) FROM sale')).toBe(rows);
  });

  test('writes the state of a moment beside the cluster', async () => {
    const leader = await findLeader(on('db-1'));
    const moment = new Date((await on(leader)('sleep 1.1; date -u +%FT%T.%3NZ; sleep 1.1')).trim()).toISOString();
    await query(leader, 'INSERT INTO sale VALUES (1002)');
    await query(leader, 'SELECT pg_switch_wal()');
    const done = await type('cluster', 'restore', INFRA, '--to', moment, '--yes', '--json');
    expect([done.code, done.stderr]).toEqual([0, '']);
    const [{ server, folder }] = JSON.parse(done.stdout).restored;
    expect(await on(server)(`runuser -u postgres -- cat ${folder}/PG_VERSION`)).toBe('15');
    expect(await query(leader, 'SELECT max(n) FROM sale')).toBe('1002');
  });

  test('a time before the first backup, and one in the future, are refused', async () => {
    for (const [time, reason] of [
      ['2020-01-01', 'its first backup ended at'],
      ['2999-01-01', 'is in the future'],
    ] as const) {
      const refused = await type('cluster', 'restore', INFRA, '--in-place', '--to', time, '--yes');
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
  });
});
