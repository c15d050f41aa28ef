import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePorts } from '../support/free-ports.js';
import { storeOf, storeScript } from '../support/postgres.js';
import { storeHomes } from './store/homes.js';
import { failure, inPostgres, postgresHere, withClient } from './store/in-postgres.js';

const homes = await storeHomes();
afterAll(homes.remove);
const home = await homes.named('home');

describe.skipIf(!postgresHere)('a store in PostgreSQL that is opened', () => {
  const there = inPostgres(home);
  const { open } = there;

  test('the password comes from a file, PGPASSWORD or the URL, and never stands in an error', async () => {
    const { writeFile } = await import('node:fs/promises');
    const file = join(homes.place, 'password');
    await writeFile(file, `${there.shared.password}\n`);
    for (const env of [{ PROVISIONING_STORE_PASSWORD_FILE: file }, { PGPASSWORD: there.shared.password }]) {
      await (await open(there.shared.urlWithoutPassword, env)).close();
    }
    const wrong = there.shared.url.replace('provisioning', 'x').replace(/:[^:@]+@/, ':wr0ng-secret@');
    const errors = [
      await failure(open(wrong)),
      await failure(open(there.shared.urlWithoutPassword)),
      await failure(open(there.shared.urlWithoutPassword, { PROVISIONING_STORE_PASSWORD_FILE: '/nowhere/password' })),
    ];
    for (const error of errors) {
      expect(error.details, error.message).toMatchObject({ code: 'store-password', blame: 'user' });
      expect(JSON.stringify(error.details)).not.toContain('wr0ng-secret');
    }
  });

  test('each way in which it cannot be opened has a name', async () => {
    const [port = 0] = await freePorts(1);
    const codes: Record<string, string> = {};
    const look = async (name: string, url: string) => {
      codes[name] = (await failure(open(url))).details?.code;
    };
    await look('no URL', 'not a url');
    await look('another kind', 'mysql://a@b/c');
    await look('no database named', `postgres://a@127.0.0.1:${port}`);
    await look('nobody there', `postgres://a@127.0.0.1:${port}/x`);
    await look('no such database', there.shared.url.replace(/\/shared$/, '/absent'));
    await look('no TLS there', `${there.shared.url}?sslmode=verify-full`);
    expect(codes).toEqual({
      'no URL': 'store-address',
      'another kind': 'store-address',
      'no database named': 'store-address',
      'nobody there': 'store-unreachable',
      'no such database': 'store-no-database',
      'no TLS there': 'store-certificate',
    });
  });

  test('of one that says nothing it is told that it cannot be reached', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const error = await failure(open(`postgres://a:b@127.0.0.1:${port}/x`));
    expect(error.details).toMatchObject({ code: 'store-unreachable', blame: 'weather' });
    silent.close();
  }, 20_000);

  test('tables of a newer version are left alone', async () => {
    const newer = await there.postgres.database('newer');
    await (await open(newer.url)).close();
    await withClient(newer.url, (client) => client.query('insert into provisioning.migrations (version) values (999)'));
    expect((await failure(open(newer.url))).details).toMatchObject({ code: 'store-newer' });
  });

  test('a log loses nothing when the database is killed and comes back; keys are read on', async () => {
    const stores = await open(there.shared.url);
    const log = await stores.logs.open({ operation: 'killed', server: 's', taskserv: 't', generation: 1, attempt: 1 });
    log.write('before\n');
    const owner = { workspace: 'w', infra: 'killed' };
    const { private: key } = await stores.keys.infraKey(owner);
    await there.postgres.kill();
    log.write('meanwhile\n');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect((await failure(stores.keys.infraKey(owner))).details).toMatchObject({ blame: 'weather' });
    await there.postgres.start();
    log.write('after\n');
    await log.close();
    expect((await stores.logs.read('killed'))[0]?.text).toBe('before\nmeanwhile\nafter\n');
    expect((await stores.keys.infraKey(owner)).private).toBe(key);
    await stores.close();
  }, 60_000);

  describe('in the PostgreSQL of Temporal', () => {
    const asSuperuser = (database = 'postgres') =>
      `postgres://${there.postgres.user}:${there.postgres.password}@127.0.0.1:${there.postgres.port}/${database}`;
    /** Returns the error with which PostgreSQL rejects a statement. */
    const refused = (url: string, text: string) =>
      withClient(url, (client) => client.query(text)).then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
    const DENIED = '42501';

    test('a login of the store reads none of its databases, runs no program and reads no file', async () => {
      await withClient(asSuperuser(), async (client) => {
        for (const name of ['temporal', 'temporal_visibility']) await client.query(`create database ${name}`);
      });
      await withClient(asSuperuser('temporal'), (client) => client.query("create table executions as select 'histories' as data"));
      const store = await storeOf(there.postgres);
      await (await open(store.url)).close();
      const ann = await storeScript(there.postgres, ['login', 'ann']);
      for (const url of [store.url, store.url.replace(/\/\/.*@/, `//ann:${ann}@`)]) {
        await (await open(url)).close();
        for (const database of ['temporal', 'temporal_visibility', 'postgres', 'template1', 'shared'])
          expect(await refused(url.replace(/[^/]*$/, database), 'select * from executions'), database).toBe(DENIED);
        const statements = [
          "copy (select 1) to program 'touch /tmp/owned'",
          "create temporary table t (line text); copy t from program 'id'",
          "create temporary table t (line text); copy t from '/etc/passwd'",
          "select pg_read_file('/etc/passwd')",
          "select lo_import('/etc/passwd')",
          'create extension dblink',
          'create extension postgres_fdw',
          "create function f() returns int language c as '/lib/x86_64-linux-gnu/libc.so.6', 'getpid'",
          `set session authorization ${there.postgres.user}`,
          `set role ${there.postgres.user}`,
          'create role other superuser',
          'create database other',
          'alter role ann superuser',
          'alter system set archive_command = $$touch /tmp/owned$$',
        ];
        for (const statement of statements) expect(await refused(url, statement), statement).toBe(DENIED);
      }
    });

    test('a person whose login is removed is out at once, and what they made stays', async () => {
      const store = await storeOf(there.postgres);
      const bob = await storeScript(there.postgres, ['login', 'bob']);
      const url = store.url.replace(/\/\/.*@/, `//bob:${bob}@`);
      const stores = await open(url);
      const { private: key } = await stores.keys.infraKey({ workspace: 'w', infra: 'of-bob' });
      expect(await storeScript(there.postgres, ['login', 'bob'])).not.toBe(bob);
      expect((await failure(open(url))).details).toMatchObject({ code: 'store-password' });
      await storeScript(there.postgres, ['remove', 'bob']);
      expect((await failure(stores.keys.infraKey({ workspace: 'w', infra: 'of-bob' }))).details).toBeDefined();
      await stores.close();
      const others = await open(store.url);
      expect((await others.keys.infraKey({ workspace: 'w', infra: 'of-bob' })).private).toBe(key);
      await others.close();
      for (const args of [['remove', 'bob'], ['remove', 'provisioning'], ['login', 'postgres'], ['login', 'a"b'], ['logins']])
        await expect(storeScript(there.postgres, args), args.join()).rejects.toThrow();
    });

    test('takes over the tables that the superuser of a former set-up made', async () => {
      await withClient(asSuperuser(), async (client) => {
        await client.query('drop database if exists provisioning');
        await client.query('create database provisioning');
      });
      const former = await open(asSuperuser('provisioning'));
      const { private: key } = await former.keys.infraKey({ workspace: 'w', infra: 'former' });
      await former.close();
      const store = await storeOf(there.postgres);
      const stores = await open(store.url);
      expect((await stores.keys.infraKey({ workspace: 'w', infra: 'former' })).private).toBe(key);
      await stores.keys.infraKey({ workspace: 'w', infra: 'new' });
      await stores.close();
      const owners = "select distinct tableowner as owner from pg_tables where schemaname = 'provisioning'";
      const { rows } = await withClient(asSuperuser('provisioning'), (client) => client.query(owners));
      expect(rows).toEqual([{ owner: 'provisioning' }]);
    });
  });
});
