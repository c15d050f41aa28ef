import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { loadDefinition } from '../load-definition.js';
import { problemText } from '../source/problem.js';

const ZONE = `domains:
  example.org:
    dns: { server: "ns:53", key: acme, tsigSecret: { secret: tsig } }
    acme: { email: ops@example.org }
`;
const SERVERS = 'servers: [{ name: lb }, { name: web, count: 2 }, { name: ns }]\n';
const PROXY = '  - { name: haproxy, on: { server: lb }, public: [http, https] }\n';
const app = (more = '', on = '{ role: web }') =>
  `  - { name: app, on: ${on}, ${more}${more && ', '}config: { name: shop, source: { directory: ./shop }, processes: { web: { command: node server.js } }, port: 8080 } }\n`;
const definition = (services: string, zones = ZONE, more = '') => `infra: shop\n${more}${zones}${SERVERS}taskservs:\n${services}`;

async function load(text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'domains-'));
  try {
    await writeFile(join(folder, 'shop.yaml'), text);
    await writeFile(join(folder, 'ca.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set(['tsig', 'given']) };
    const loaded = await loadDefinition(join(folder, 'shop.yaml'), options);
    return { ...loaded, told: loaded.problems.map((one) => problemText(one).replace(`${folder}/`, '')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The configurations of a server, by their taskservs. */
async function on(server: string, text: string): Promise<Record<string, Record<string, unknown>>> {
  const { definition, told } = await load(text);
  expect(told).toEqual([]);
  const found = definition?.servers.find(({ name }) => name === server)?.taskservs ?? [];
  return Object.fromEntries(found.map(({ name, config }) => [name, config as Record<string, unknown>]));
}
const told = async (text: string) => (await load(text)).told;

describe('a domain behind a balancer', () => {
  const byHand = `  - name: haproxy
    on: { server: lb }
    public: [http, https]
    config: { backend: { taskserv: app }, tls: { acme: [app] } }
  - name: dns-records
    on: { server: lb }
    config: { server: "ns:53", zone: example.org, key: acme, tsigSecret: { secret: tsig }, owner: default/shop, records: [{ name: www.example.org }, { name: example.org }] }
  - name: acme
    on: { server: lb }
    config: { email: ops@example.org, certificates: [{ name: app, domains: [www.example.org, example.org] }] }
`;
  const DOMAIN = 'domain: [www.example.org, example.org]';

  test('is what one could have written by hand', async () => {
    const said = await load(definition(PROXY + app(DOMAIN)));
    const written = await load(definition(byHand + app(), ''));
    expect([said.told, written.told]).toEqual([[], []]);
    const servicesOf = ({ definition }: typeof said) =>
      definition?.servers.map(({ name, taskservs }) => [name, [...taskservs].sort((a, b) => (a.name < b.name ? -1 : 1))]);
    expect(servicesOf(said)).toEqual(servicesOf(written));
    expect(said.definition?.servers[0]?.taskservs.map(({ name }) => name).sort()).toEqual(['acme', 'dns-records', 'haproxy']);
  });

  test('keeps what is written by hand for the same services', async () => {
    const lb = await on(
      'lb',
      definition(`  - { name: haproxy, on: { server: lb }, config: { balance: leastconn, tls: { acme: [old], hsts: 10 d } } }
  - { name: dns-records, on: all, config: { owner: me, records: [{ name: mail.example.org, addresses: [192.0.2.1] }] } }
  - { name: acme, on: { role: lb }, config: { renewBefore: 20 d, certificates: [{ name: old, domains: [old.example.org] }] } }
${app('domain: www.example.org', '{ role: web }')}`).replace('on: all', 'on: { server: lb }'),
    );
    expect(lb.haproxy).toMatchObject({ balance: 'leastconn', tls: { acme: ['old', 'app'], hsts: 864_000 } });
    expect(lb['dns-records']).toMatchObject({
      owner: 'me',
      records: [{ name: 'mail.example.org', addresses: ['192.0.2.1'] }, { name: 'www.example.org' }],
    });
    expect(lb.acme).toMatchObject({
      renewBefore: 1_728_000,
      certificates: [
        { name: 'old', domains: ['old.example.org'] },
        { name: 'app', domains: ['www.example.org'] },
      ],
    });
  });

  test('uses a record and a certificate that are there by hand for the name', async () => {
    const lb = await on(
      'lb',
      definition(`${PROXY}  - { name: dns-records, on: { server: lb }, config: { records: [{ name: www.example.org, addresses: [192.0.2.1] }] } }
  - { name: acme, on: { server: lb }, config: { certificates: [{ name: www, key: rsa2048, domains: [example.org, www.example.org] }] } }
${app('domain: www.example.org')}`),
    );
    expect(lb['dns-records']).toMatchObject({ records: [{ name: 'www.example.org', addresses: ['192.0.2.1'] }] });
    expect(lb.acme?.certificates).toHaveLength(1);
    expect(lb.haproxy).toMatchObject({ tls: { acme: ['www'] } });
  });

  test('finds the endpoint over HTTP, whatever it is called, and leaves one that is said', async () => {
    const alerts = '  - { name: alertmanager, on: { server: ns }, domain: alerts.example.org }\n';
    expect((await on('lb', definition(PROXY + alerts))).haproxy).toMatchObject({
      backend: { taskserv: 'alertmanager', offering: 'alerts' },
    });
    const said = PROXY.replace(' }\n', ', config: { backend: { offering: metrics } } }\n');
    expect((await on('lb', definition(said + alerts))).haproxy).toMatchObject({ backend: { offering: 'metrics' } });
  });

  test('needs not both: a zone may have records alone, or certificates alone', async () => {
    const services = PROXY.replace(', https', '') + app('domain: www.example.org');
    const records = await on('lb', definition(services, ZONE.replace(/ {4}acme: .*\n/, '')));
    expect([Object.keys(records).sort(), records.haproxy?.tls]).toEqual([['dns-records', 'haproxy'], undefined]);
    const certificate = await on('lb', definition(PROXY + app('domain: www.example.org'), ZONE.replace(/ {4}dns: .*\n/, '')));
    expect(Object.keys(certificate).sort()).toEqual(['acme', 'haproxy']);
  });

  test('is in the zone whose name is the longest; one that nobody uses changes nothing', async () => {
    const zones = `${ZONE}  eu.example.org: { acme: { email: eu@example.org } }\n`;
    expect((await on('lb', definition(PROXY + app('domain: www.eu.example.org'), zones))).acme?.email).toBe('eu@example.org');
    expect(Object.keys(await on('lb', definition(PROXY.replace(', https', '') + app(), zones)))).toEqual(['haproxy']);
  });

  test('has generated secrets, expressions and contents of files in its zone', async () => {
    const zone = `domains:
  "example.org":
    dns: { server: "{{ servers.ns.address }}:53", key: "{{ vars.key }}", tsigSecret: { generate: password } }
    acme: { email: ops@example.org, authority: { content-of: ca.pem } }
`;
    const text = definition(PROXY + app('domain: "www.{{ vars.parent }}"'), zone, 'vars: { key: k1, parent: example.org }\n');
    const lb = await on('lb', text);
    expect(lb['dns-records']).toMatchObject({
      server: 'ns:53',
      key: 'k1',
      tsigSecret: { $secret: 'generated/default/shop/lb.dns-records.tsigSecret' },
      records: [{ name: 'www.example.org' }],
    });
    expect(lb.acme?.authority).toMatch(/^-----BEGIN CERTIFICATE-----\nAAAA\n/);
  });
});

describe('a domain without a balancer', () => {
  const nginx = (target: string) =>
    `  - { name: nginx, on: ${target}, public: [http, https], domain: [www.example.org, example.org] }\n`;

  test('is served by the nginx of one server itself, by one certificate for all names', async () => {
    const ns = await on('ns', definition(nginx('{ server: ns }')));
    expect(ns.nginx).toMatchObject({ tls: { acme: 'nginx' } });
    expect(ns.acme).toMatchObject({ certificates: [{ name: 'nginx', domains: ['www.example.org', 'example.org'] }] });
    expect(ns['dns-records']).toMatchObject({ records: [{ name: 'www.example.org' }, { name: 'example.org' }] });
  });

  test('may be said of the balancer itself, and where a server says what it carries', async () => {
    const servers = `servers:
  - name: lb
    taskservs: [{ name: haproxy, public: [https], domain: www.example.org }]
  - { name: web, taskservs: [nginx] }
`;
    const lb = await on('lb', `infra: shop\n${ZONE}${servers}`);
    expect(lb.haproxy).toMatchObject({ backend: { taskserv: 'nginx' }, tls: { acme: ['haproxy'] } });
    expect(lb.acme).toMatchObject({ certificates: [{ name: 'haproxy', domains: ['www.example.org'] }] });
  });

  test('is an error where the nginx is on several, or something else is to be served', async () => {
    expect(await told(definition(nginx('{ role: web }')))).toEqual([
      'shop.yaml:8:70: taskservs[0].domain: a domain can lead to only one server, but "nginx" is on "web-1" and "web-2"; put the taskserv haproxy on a server',
    ]);
    expect(await told(definition(app('domain: www.example.org')))).toEqual([
      'shop.yaml:8:45: taskservs[0].domain: no service offers TLS for the domain of "app"; put the taskserv haproxy on a server',
    ]);
  });
});

describe('what is wrong with a domain is told where it stands', () => {
  const one = async (services: string, zones = ZONE) => (await told(definition(services, zones))).join('\n');

  test.each([
    ['www.exampel.org', '"www.exampel.org" is in no zone of "domains"; did you mean "example.org"?'],
    ['"*.example.org"', 'write a domain name in lower-case letters such as www.example.org'],
    ['WWW.example.org', 'write a domain name in lower-case letters such as www.example.org'],
    ['localhost', 'write a domain name in lower-case letters such as www.example.org'],
  ])('%s', async (name, message) => {
    expect(await one(PROXY + app(`domain: ${name}`))).toBe(`shop.yaml:9:45: taskservs[1].domain: ${message}`);
  });

  test('without any zone one is proposed', async () => {
    expect(await one(PROXY + app('domain: www.example.org'), '')).toBe(
      'shop.yaml:5:45: taskservs[1].domain: "www.example.org" is in no zone of "domains"; add it: domains: { example.org: { dns: …, acme: … } }',
    );
  });

  test('the same name for two services', async () => {
    const web = '  - { name: nginx, on: { server: ns }, domain: [a.example.org, www.example.org] }\n';
    const proxy = PROXY.replace(' }\n', ', config: { backend: { taskserv: app } } }\n');
    expect(await one(proxy + app('domain: www.example.org') + web)).toBe(
      'shop.yaml:10:64: taskservs[2].domain[1]: "www.example.org" already leads to "app"; a name can lead to only one service: remove it from one of the two',
    );
  });

  test('a service that offers nothing over HTTP, or not to others', async () => {
    const proxy = PROXY;
    const nothing = 'does not use HTTP in its configuration; only HTTP services can have a domain';
    expect(await one(`${proxy}  - { name: redis, on: { server: ns }, domain: www.example.org }\n`)).toBe(
      `shop.yaml:9:48: taskservs[1].domain: "redis" ${nothing}`,
    );
    expect(await one(proxy + app('domain: www.example.org').replace(', port: 8080', ''))).toContain(`"app" ${nothing}`);
    expect(await one(`${proxy}  - { name: victoriametrics, on: { server: ns }, domain: www.example.org }\n`)).toContain(nothing);
  });

  test('a balancer that serves something else, or that is on two servers', async () => {
    const proxy = PROXY;
    expect(
      await one(
        proxy.replace(' }\n', ', config: { backend: { taskserv: nginx } } }\n  - nginx\n') + app('domain: www.example.org'),
      ),
    ).toContain(
      '"haproxy" of "lb" passes requests on to "nginx"; write backend: { taskserv: app } there, or put another haproxy on a server',
    );
    // The preset counts where there is an nginx.
    expect(await one(`${proxy}  - { name: nginx, on: { server: ns } }\n${app('domain: www.example.org')}`)).toContain(
      '"haproxy" of "lb" passes requests on to "nginx"',
    );
    expect(
      await one(proxy.replace('{ server: lb }', '[{ server: lb }, { server: ns }]') + app('domain: www.example.org')),
    ).toContain(
      'a domain can lead to only one server, but "haproxy" is on "lb" and "ns"; keep one of them, or configure dns-records and acme by hand',
    );
  });

  test('an entry that is for some of those behind the balancer alone', async () => {
    expect(await one(PROXY + app() + app('domain: www.example.org', '{ server: ns }'))).toContain(
      'passes requests on to all servers with "app", also to "web-1", which is not in this entry; put the domain into one entry',
    );
  });

  test('what is said otherwise by hand, and two zones for one server', async () => {
    const acme =
      '  - { name: acme, on: { server: lb }, config: { email: me@example.org, certificates: [{ name: x, domains: [x.example.org] }] } }\n';
    expect(await one(PROXY + acme + app('domain: www.example.org'))).toBe(
      'shop.yaml:10:45: taskservs[2].domain: "acme" of "lb" has another "email" already; use the same value by hand and in all zones',
    );
    const zones = `${ZONE}  example.net:\n    dns: { server: "ns:53", key: acme, tsigSecret: { secret: tsig } }\n    acme: { email: ops@example.org }\n`;
    expect(await one(PROXY + app('domain: [www.example.org, www.example.net]'), zones)).toBe(
      'shop.yaml:12:63: taskservs[1].domain[1]: "dns-records" of "lb" sets names of another zone already; serve them from another server, or omit dns in one zone and create its records by hand',
    );
    const without = zones.replace(/(example.net:\n) {4}dns: .*\n/, '$1');
    const lb = await on('lb', definition(PROXY + app('domain: [www.example.org, www.example.net]'), without));
    expect(lb.acme?.certificates).toMatchObject([{ domains: ['www.example.org', 'www.example.net'] }]);
    const other = without.replace(
      /email: ops@example.org }\n$/,
      'email: ops@example.org, directory: "https://ca.example.net/dir" }\n',
    );
    expect(await one(PROXY + app('domain: [www.example.org, www.example.net]'), other)).toContain(
      '"acme" of "lb" has another "directory" already',
    );
    const given = PROXY.replace(' }\n', ', config: { tls: { certificate: { secret: given }, key: { secret: given } } } }\n');
    expect(await one(given + app('domain: www.example.org'))).toContain(
      '"haproxy" of "lb" has its own certificate; remove it from tls, or remove acme from the zone in domains',
    );
    const records =
      '  - { name: dns-records, on: { server: ns }, config: { server: "ns:53", zone: example.org, key: k, tsigSecret: { secret: tsig }, owner: x, records: [{ name: www.example.org }] } }\n';
    expect(await one(PROXY + records + app('domain: www.example.org'))).toContain(
      '"dns-records" of "ns" sets "www.example.org" already; remove the record there',
    );
  });

  test('a zone is judged by the taskservs that it configures, where it stands', async () => {
    const zone = `domains:
  example.org:
    dns: { server: ns, key: acme, tsigSecret: { secret: tsgi }, records: [] }
    acme: { emial: ops@example.org }
  Example.net: {}
`;
    expect(await told(definition(PROXY + app('domain: www.example.org'), zone))).toEqual([
      'shop.yaml:4:20: domains.example.org.dns.server: write a server as "ns1.example.org:53"',
      expect.stringMatching(
        /^shop.yaml:4:\d+: domains.example.org.dns.tsigSecret: the secret "tsgi" is not set; provisioning secret set/,
      ),
      expect.stringMatching(
        /^shop.yaml:4:\d+: domains.example.org.dns.records: "records" is determined by the names in "domain"; write what you set by hand in the configuration of dns-records$/,
      ),
      'shop.yaml:5:13: domains.example.org.acme.emial: unknown key "emial"; did you mean "email"?',
      expect.stringMatching(/^shop.yaml:6:\d+: domains.Example.net: write a domain name in lower-case letters/),
    ]);
  });
});
