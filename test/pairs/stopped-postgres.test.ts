import { describe, expect, test } from 'vitest';
import { definitionOf, type Written } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { run, runWell } from '../support/operations.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `stopped-postgres-${process.pid}`;
const timing = { healthMs: 30_000, heartbeatMs: 5_000, retryMs: 200 };

/** A stopped server cannot be queried for its content. Its content is created as declared, whatever it was. */
describe.skipIf(why)('a second run has nothing to do', () => {
  let engine: TestEngine;
  const define = (config: Record<string, unknown>, more: Written['taskservs'] = []) =>
    definitionOf({
      infra: INFRA,
      provider: 'local',
      servers: [{ name: 'a' }],
      taskservs: ['firewall', { name: 'postgres', config }, ...more],
    });
  const wanted = {
    users: [{ name: 'shop', password: { generate: 'password' } }],
    databases: [{ name: 'shop', owner: 'shop' }],
  };
  const shop = define(wanted);
  const a = shellOf(INFRA, 'a');
  const sql = (statement: string) => a(`runuser -u postgres -- psql -tAc "${statement}"`);
  const owner = () => sql("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'shop'");
  const apply = (definition = shop) => runWell(engine, { infra: INFRA, definition, onFailure: 'keep', timing });
  const left = async () =>
    (await runWell(engine, { infra: INFRA, definition: shop, check: true, timing })).plan.map(({ on, title }) => `${on}: ${title}`);

  withHostEngine(INFRA, (started) => {
    engine = started;
  });

  /** Role and database are created before redis fails, because sshd has its port. */
  const rollBack = async () => {
    const failing = define(wanted, [{ name: 'redis', config: { port: 22 } }]);
    const failed = await run(engine, { infra: INFRA, definition: failing, onFailure: 'rollback', timing });
    expect([failed.status, failed.error?.on, failed.left]).toEqual(['rolled-back', 'a/redis', []]);
    await a('systemctl start postgresql@15-main');
    expect(await sql("SELECT rolname FROM pg_roles WHERE rolname = 'shop'")).toBe('');
  };

  test('after postgres was stopped that somebody had made the database in, which a rollback leaves as it was', async () => {
    await apply(define({}));
    await rollBack();
    expect(await owner()).toBe('');
    await sql('CREATE DATABASE shop');
    await a('systemctl stop postgresql@15-main');
    await rollBack();
    expect(await owner()).toBe('postgres');
    await a('systemctl stop postgresql@15-main');
    await apply();
    expect(await left()).toEqual([]);
    expect(await owner()).toBe('shop');
  });

  test('after somebody changed owner and password and stopped it', async () => {
    await sql('ALTER DATABASE shop OWNER TO postgres');
    await sql("ALTER ROLE shop PASSWORD 'another'");
    await a('systemctl stop postgresql@15-main');
    await apply();
    expect(await left()).toEqual([]);
    expect(await owner()).toBe('shop');
  });

  test('after it was killed, and left the file that tells its port', async () => {
    await sql('ALTER DATABASE shop OWNER TO postgres');
    const pid = '/var/lib/postgresql/15/main/postmaster.pid';
    // State after a power cut: a regular stop of the unit would remove the file.
    await a(`cp -a ${pid} /root/pid; systemctl stop postgresql@15-main; cp -a /root/pid ${pid}`);
    await apply();
    expect(await left()).toEqual([]);
    expect(await owner()).toBe('shop');
  });

  test('after a role was dropped by hand and it was stopped', async () => {
    await sql('ALTER DATABASE shop OWNER TO postgres');
    await sql('DROP ROLE shop');
    await a('systemctl stop postgresql@15-main');
    await apply();
    expect(await left()).toEqual([]);
    expect(await owner()).toBe('shop');
  });
});
