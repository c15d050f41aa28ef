import { describe, expect, test } from 'vitest';
import { keepSecrets } from '../catalog/keep-certificates.js';
import { askedOf, makeAuthority, rootOf, startAuthority, stopAuthority } from '../support/authority.js';
import { definitionOf } from '../support/definition.js';
import type { TestEngine } from '../support/engine.js';
import { withHostEngine } from '../support/host-engine.js';
import { shellOf, whyNoHosts } from '../support/hosts.js';
import { eventually, run, runWell } from '../support/operations.js';
import { type SpeaksTls, TlsClients } from '../support/tls-clients.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `tls-by-acme-${process.pid}`;
const NAME = 'shop.example.org';
const PASSWORD = 'of shop';
const timing = { healthMs: 30_000, heartbeatMs: 10_000, retryMs: 200 };
const byAcme = { acme: 'shop' };
const users = [{ name: 'shop', password: { secret: 'pw' } }];

interface Service extends SpeaksTls {
  config?: Record<string, unknown>;
  unit: string;
}

/** Services before acme in the definition. The others come after it. */
const BEFORE: Record<string, Service> = {
  redis: { port: 6380, unit: 'redis-server', config: { password: { secret: 'pw' } } },
  postgres: {
    port: 5432,
    first: 'postgres',
    unit: 'postgresql@15-main',
    config: { allow: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], users, databases: [{ name: 'shop', owner: 'shop' }] },
  },
  mosquitto: { port: 8883, unit: 'mosquitto', config: { users } },
};
const AFTER: Record<string, Service> = {
  nats: { port: 4222, first: 'nats', unit: 'nats-server', config: { users } },
  'node-exporter': { port: 9100, unit: 'prometheus-node-exporter' },
  prometheus: { port: 9090, unit: 'prometheus', config: { scrapeInterval: '1 s', authority: { secret: 'root' } } },
};
/** LONG=1 includes the others. */
if (process.env.LONG) {
  BEFORE.mariadb = { port: 3306, first: 'mysql', unit: 'mariadb', config: { users, databases: [{ name: 'shop' }] } };
  BEFORE.rabbitmq = { port: 5671, unit: 'rabbitmq-server', config: { users, vhosts: [{ name: 'shop', users: ['shop'] }] } };
  AFTER.alertmanager = { port: 9093, unit: 'prometheus-alertmanager', config: { receivers: [{ name: 'nobody' }] } };
  AFTER['postgres-exporter'] = { port: 9187, unit: 'prometheus-postgres-exporter' };
  AFTER['mysqld-exporter'] = { port: 9104, unit: 'prometheus-mysqld-exporter' };
  AFTER['blackbox-exporter'] = { port: 9115, unit: 'prometheus-blackbox-exporter' };
}
const ALL = { ...BEFORE, ...AFTER };
const NAMES = Object.keys(ALL);

describe.skipIf(why)('services with a certificate of acme, of an authority that is real', () => {
  const host = shellOf(INFRA, 'all');
  const beside = shellOf(INFRA, 'b');
  let engine: TestEngine;
  let authority = '';
  let clients: TlsClients;

  /** A definition of these services, with or without `tls`. Without names it has only the hosts. */
  const define = (names: readonly string[] = [], { tls = true } = {}) => {
    const of = (services: Record<string, Service>) =>
      Object.entries(services)
        .filter(([name]) => names.includes(name))
        .map(([name, { config }]) => ({ name, config: { ...config, ...(tls && { tls: byAcme }) } }));
    const certificates = [{ name: 'shop', domains: [NAME] }];
    const acme = { name: 'acme', config: { ...askedOf(authority), httpPort: 80, certificates } };
    const taskservs = names.length > 0 ? [...of(BEFORE), acme, ...of(AFTER)] : [];
    const servers = [{ name: 'all', taskservs }, { name: 'b' }];
    return { infra: INFRA, timing, definition: definitionOf({ infra: INFRA, provider: 'local', servers }, ['pw', 'root']) };
  };

  const serials = async () =>
    Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await clients.serial(ALL[name] as Service)] as const)));
  const ofFile = () => host('openssl x509 -in /etc/acme/shop/certificate.pem -noout -serial | cut -d= -f2');
  const each = (value: string) => Object.fromEntries(NAMES.map((name) => [name, value]));
  /** Returns a value that differs for each start of a unit. */
  const starts = () =>
    host(
      `systemctl show -p Id -p ActiveState -p InvocationID ${Object.values(ALL)
        .map(({ unit }) => unit)
        .join(' ')}`,
    );
  const files = () => host('find /etc/tls /etc/acme/deploy.d -type f 2>/dev/null | sort || true');

  withHostEngine(INFRA, async (started) => {
    engine = started;
    await runWell(engine, define());
    const ip = await host(`hostname -I | cut -d' ' -f1`);
    authority = await makeAuthority(engine, INFRA, ip);
    clients = new TlsClients(beside, { ip, name: NAME });
    await clients.install(['postgresql-client', 'redis-tools', 'mosquitto-clients'], await rootOf(beside));
    await stopAuthority(beside);
    await keepSecrets(engine, INFRA, { pw: PASSWORD });
  });

  test('while the authority does not answer, apply says so, and a service alone begins with a certificate that nobody signed', async () => {
    const failed = await run(engine, { ...define(['redis']), onFailure: 'keep' as const });
    expect([failed.status, JSON.stringify(failed.error)]).toEqual([
      'failed',
      expect.stringContaining('cannot get certificate shop'),
    ]);
    const alone = { verb: 'ensure' as const, prune: false, taskservs: ['redis'] };
    await runWell(engine, { ...define(['redis']), kind: 'taskserv', intent: alone });
    expect(await clients.serial(BEFORE.redis as Service)).toContain('certificate verify failed');
    expect(await host('openssl x509 -in /etc/tls/redis/certificate.pem -noout -subject')).toContain('temporary');
  });

  test('by one apply each serves the certificate of the authority; the second time nothing is left to do', async () => {
    await startAuthority(beside);
    const root = await rootOf(beside);
    await beside(`printf '%s\\n' '${root}' >/srv/root.pem`);
    await keepSecrets(engine, INFRA, { root });
    await runWell(engine, { ...define(NAMES), onFailure: 'keep' as const });
    expect(await serials()).toEqual(each(await ofFile()));
    for (const service of Object.values(ALL)) expect(await clients.serial(service, 'other')).toContain('certificate verify failed');
    expect((await run(engine, { ...define(NAMES), check: true })).plan).toEqual([]);
  });

  test('clients of their own find it right, and refuse it where they know another authority', async () => {
    const asks: Record<string, (authority: string) => string> = {
      postgres: (file) =>
        `PGPASSWORD='${PASSWORD}' psql -qtAX 'host=${NAME} user=shop dbname=shop sslmode=verify-full sslrootcert=${file}' -c "select 'answered'"`,
      redis: (file) =>
        `REDISCLI_AUTH='${PASSWORD}' redis-cli -e -h ${NAME} -p 6380 --tls --sni ${NAME} --cacert ${file} echo answered`,
      mosquitto: (file) =>
        `mosquitto_pub -h ${NAME} -p 8883 --cafile ${file} -u shop -P '${PASSWORD}' -t news -m hello && echo answered`,
      'node-exporter': (file) => `curl -fsS -o /dev/null --cacert ${file} https://${NAME}:9100/metrics && echo answered`,
      prometheus: (file) => `curl -fsS -o /dev/null --cacert ${file} https://${NAME}:9090/-/ready && echo answered`,
    };
    for (const [name, ask] of Object.entries(asks)) {
      expect([name, await beside(ask('/srv/root.pem'))]).toEqual([name, 'answered']);
      await expect(beside(ask('/srv/other.pem')), name).rejects.toThrow(/certificate|[Tt][Ll][Ss]|verif/);
    }
    await eventually(async () => {
      const query = `https://${NAME}:9090/api/v1/query?query=up`;
      const { data } = JSON.parse(await beside(`curl -fsS --cacert /srv/root.pem '${query}'`));
      const up = data.result.map(({ metric, value }: { metric: { job: string }; value: [number, string] }) => [
        metric.job,
        value[1],
      ]);
      expect(up).toEqual(
        expect.arrayContaining([
          ['prometheus', '1'],
          ['node-exporter', '1'],
        ]),
      );
    });
  });

  test('a renewal is served by all at once, without an apply, and no service or connection ends', async () => {
    await clients.hold('redis', ALL.redis as Service, `AUTH "${PASSWORD}"`);
    await clients.hold('nats', ALL.nats as Service, `CONNECT ${JSON.stringify({ verbose: false, user: 'shop', pass: PASSWORD })}`);
    const [former, before] = [await ofFile(), await starts()];
    await host('systemctl start acme.service');
    const renewed = await ofFile();
    expect(renewed).not.toBe(former);
    // A reload is a signal, so it takes effect a moment later.
    await eventually(async () => expect(await serials()).toEqual(each(renewed)));
    expect(await starts()).toBe(before);
    await clients.let();
    for (const name of ['redis', 'nats'])
      await eventually(async () => expect([name, await clients.answersOf(name)]).toEqual([name, 2]));
    expect((await run(engine, { ...define(NAMES), check: true })).plan).toEqual([]);
  });

  test('without tls its files are removed, and the services speak as before', async () => {
    await runWell(engine, define(NAMES, { tls: false }));
    expect(await files()).toBe('');
    expect(await host('curl -fsS -o /dev/null http://127.0.0.1:9100/metrics && echo answered')).toBe('answered');
    expect(await host(`REDISCLI_AUTH='${PASSWORD}' redis-cli -e echo answered`)).toBe('answered');
    expect((await run(engine, { ...define(NAMES, { tls: false }), check: true })).plan).toEqual([]);
  });
});
