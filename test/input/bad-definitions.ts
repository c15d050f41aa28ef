import type { BadInput } from './run-row.js';

const option = '-oProxyCommand=touch /tmp/x';
const FILE = 'infra.yaml';

/** A definition of one server with an error that begins in line 5. */
const server = (title: string, lines: string, place: string, says: RegExp): BadInput => ({
  title,
  files: { [FILE]: `infra: shop\nprovider: demo\nservers:\n  - name: web\n    ${lines}\n` },
  exit: 2,
  place: `${FILE}:${place}`,
  says,
});
const whole = (title: string, text: string, place: string, says: RegExp, errors = 1): BadInput => ({
  title,
  files: { [FILE]: text },
  exit: 2,
  place: `${FILE}:${place}`,
  says,
  errors,
});
const local = (title: string, host: string, says: RegExp): BadInput =>
  whole(title, `infra: shop\nservers:\n  - name: web\n    host:\n      ${host.replaceAll('\n', '\n      ')}\n`, '', says);
const batch = (title: string, operations: string, place: string, says: RegExp): BadInput => ({
  title,
  files: { 'batch.yaml': `batch: all\noperations:\n${operations}` },
  args: ['batch', 'submit', 'batch.yaml', '--yes'],
  exit: 2,
  place: `batch.yaml:${place}`,
  says,
});
const page = (bytes: number, servers: number) =>
  `infra: shop\nprovider: demo\nservers:\n  - { name: web, count: ${servers} }\ntaskservs:\n  - name: nginx\n    config:\n      page: ${'ab'.repeat(bytes / 2)}\n`;

/** Invalid definitions. */
export const DEFINITIONS: readonly BadInput[] = [
  local('a user that is an option', `address: db\nuser: "${option}"`, /servers\[0\].host.user: a user name is letters/),
  local('an address that is an option', `address: "${option}"`, /servers\[0\].host.address: write a host name/),
  local('an address that is none', 'address: 300.1.2.3', /host.address: write a host name/),
  local('an address with a prefix length', 'address: 10.0.0.1/24', /host.address: write a host name/),
  local('an address of free text', 'address: the box below the desk', /host.address: write a host name/),
  local('a jump host that is an option', `address: db\njump: "${option}"`, /host.jump: write user@address:port/),
  local('a key file that is an option', 'address: db\nidentity: -F/etc/passwd', /does not begin with a dash/),
  local('a port that is none', 'address: db\nport: 70000', /host.port: expected at most 65535/),
  whole(
    'services that need each other',
    'infra: shop\nprovider: demo\ninterpolate: true\nservers: [{ name: a }, { name: b }]\ntaskservs:\n  - { name: nginx, on: { server: a }, config: { port: "{{ taskservs.redis.port }}" } }\n  - { name: redis, on: { server: b }, config: { port: "{{ taskservs.nginx.port }}" } }\n',
    '7:55',
    /services depend on each other: a\/nginx → b\/redis → a\/nginx/,
  ),
  whole(
    'two of what a server can have only once',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [nginx, nginx@shop]\n',
    '4:20',
    /a server can have "nginx" only once; write nginx/,
  ),
  whole(
    'an instance with a name that is none',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [{ name: app@../x, config: {} }]\n',
    '4:21',
    /the name of an instance has up to 20 lower-case letters, digits and dashes, and "..\/x" is not; write app@shop/,
  ),
  whole(
    'two applications of one name on a server',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs:\n  - { name: app, config: { name: shop, artifact: &a { url: "https://example.org/s.tar", sha256: "0000000000000000000000000000000000000000000000000000000000000000" }, release: "1", processes: &p { web: { command: ./serve } } } }\n  - { name: app@shop, config: { artifact: *a, release: "1", processes: *p } }\n',
    '5:34',
    /app-shop.env is a file of the taskserv "app@shop", which "hub" has as well; give one of the applications/,
  ),
  whole(
    'a reference to a server that is not there',
    'infra: shop\nprovider: demo\ninterpolate: true\nservers: [{ name: hub, taskservs: [{ name: nginx, config: { page: "{{ servers.hbu.address }}" } }] }]\n',
    '4:67',
    /there is no server "hbu"; did you mean "hub"/,
  ),
  whole(
    'the secret of a service that has none',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [nginx, { name: redis, config: { password: { of: nginx, path: root } } }]\n',
    '4:55',
    /"root" of "nginx" is not a secret/,
  ),
  whole(
    'a certificate of acme on a server without acme',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [nginx, { name: haproxy, config: { port: 8080, tls: { acme: [shop] } } }]\n',
    '4:20',
    /"haproxy" uses the certificate "shop" of acme, but the server "hub" has no acme/,
  ),
  whole(
    'a domain in no zone',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ndomains: { example.org: { acme: { email: ops@example.org } } }\ntaskservs: [{ name: nginx, domain: www.exampel.org }]\n',
    '5:36',
    /"www.exampel.org" is in no zone of "domains"; did you mean "example.org"/,
  ),
  whole(
    'a certificate for names in no zone',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [{ name: nginx, config: { serverName: www.example.org, tls: true } }]\n',
    '4:72',
    /config.tls: "www.example.org" is in no zone of "domains"; add it: domains: \{ example.org: /,
  ),
  whole(
    'a port that a site has in its directives alone',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [{ name: nginx, config: { sites: [{ name: a, serverName: a.org, directives: "listen 81;" }] } }]\n',
    '4:88',
    /sites\[0\].directives: "listen" does not stand here: say port/,
  ),
  whole(
    'artifacts from nowhere',
    'infra: shop\nprovider: demo\nartifacts: from-home\nservers: [{ name: hub }]\n',
    '3:12',
    /artifacts: expected one of "on-host", "from-worker"/,
  ),
  whole(
    'a zone at a provider that is not there',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ndomains: { example.org: { dns: { provider: hetzer } } }\ntaskservs: [{ name: nginx, domain: www.example.org }]\n',
    '4:44',
    /unknown provider "hetzer"; did you mean "hetzner"/,
  ),
  whole(
    'a zone at a provider without zones',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ndomains: { example.org: { dns: { provider: demo } } }\ntaskservs: [{ name: nginx, domain: www.example.org }]\n',
    '4:34',
    /the provider "demo" has no zones of the DNS; name one that has: hetzner or aws/,
  ),
  whole(
    'a zone at a provider and at a name server',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ndomains: { example.org: { dns: { provider: hetzner, server: "ns:53" } } }\ntaskservs: [{ name: nginx, domain: www.example.org }]\n',
    '4:53',
    /a zone has either a provider or a name server; omit provider/,
  ),
  whole(
    'a name outside of the zone of cloud-dns',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [{ name: cloud-dns, config: { provider: hetzner, zone: example.org, owner: shop, records: [{ name: www.example.com }] } }]\n',
    '4:102',
    /the names must be in the zone/,
  ),
  whole(
    'a domain of what is behind no balancer',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\ndomains: { example.org: { acme: { email: ops@example.org } } }\ntaskservs: [{ name: redis, domain: www.example.org }]\n',
    '5:36',
    /no service offers TLS for the domain of "redis"; put the taskserv haproxy on a server/,
  ),
  whole(
    'an output of what is not there',
    'infra: shop\nprovider: demo\nservers: [{ name: hub }]\noutputs: { a: "{{ servers.hub.adress }}" }\n',
    '4:15',
    /"servers.hub" has no "adress"; did you mean "address"/,
  ),
  whole(
    'a template that is not there',
    'infra: shop\nprovider: demo\nuse: wbe\n',
    '3:1',
    /there is no template "wbe"; did you mean "web"/,
  ),
  whole(
    'a parameter that the template does not have',
    'infra: shop\nprovider: demo\nuse: { web: { cuont: 2 } }\n',
    '3:15',
    /the template has no parameter "cuont"; did you mean "count"/,
  ),
  server('a negative count', 'count: -1', '5:12', /expected at least 1/),
  server('a count of a thousand million', 'count: 1e9', '5:12', /expected at most 500/),
  server('a count beyond all numbers', 'count: 1e999', '5:12', /expected/),
  server('a name of 10,000 letters', `role: ${'a'.repeat(10_000)}`, '5:11', /at most 40 characters/),
  server('a plan of 100,000 letters', `plan: ${'a'.repeat(100_000)}`, '5:11', /at most 200 characters/),
  server('a plan that is an option', 'plan: "--privileged"', '5:11', /a letter or digit first/),
  server('an unknown key', 'colour: red', '5:5', /unknown key "colour"/),
  server('a range of what is no address', 'firewall: [{ allow: tcp, ports: 22, from: [999.1.1.1/24] }]', '5:48', /write a range/),
  whole(
    'servers without end',
    `infra: shop\nprovider: demo\nservers:\n${'  - { name: a, count: 500 }\n'.repeat(6_000)}`,
    '4:3',
    /6000 entries, at most 5000/,
  ),
  whole(
    'a million servers',
    `infra: shop\nprovider: demo\nservers:\n${'  - { name: a, count: 500 }\n'.repeat(2_000)}`,
    '4:3',
    /1000000 servers in all, at most 5000/,
  ),
  whole('a page of 900 KiB on 500 servers', page(900 * 1024, 500), '8:7', /come to 439\.\d MiB; at most 1 MiB are allowed/),
  whole(
    'a configuration on too many servers',
    `infra: shop\nprovider: demo\nservers: [${[1, 2, 3, 4].map((index) => `{ name: w${index}, count: 500 }`).join(', ')}]\ntaskservs:\n  - name: users\n    config: { users: [${Array.from({ length: 700 }, (_, index) => `{ name: u${index} },`).join('')}] }\n`,
    '6:13',
    /the configurations of all servers come to .* MiB; at most 5 MiB are allowed/,
  ),
  whole(
    '10,000 unknown keys',
    `infra: shop\nservers: [{ name: web }]\n${Array.from({ length: 10_000 }, (_, index) => `k${index}: 1`).join('\n')}`,
    '3:1',
    /unknown key "k0"/,
    50,
  ),
  batch(
    'operations that wait for each other',
    '  - { name: a, kind: cluster, infra: x, needs: [b] }\n  - { name: b, kind: cluster, infra: y, needs: [a] }\n',
    '3:5',
    /these operations wait for each other: a → b → a/,
  ),
  batch(
    'operations without end',
    `${'  - { name: "a-{i}", kind: cluster, infra: "x-{i}", count: 10000 }\n'.repeat(3)}`,
    '3:3',
    /a batch may have 20000/,
  ),
  batch(
    '__proto__ in a batch',
    '  - { name: a, kind: cluster, infra: x, __proto__: {} }\n',
    '3:41',
    /no key may be called "__proto__"/,
  ),
  batch(
    'a definition that is a FIFO by another name',
    '  - { name: a, kind: cluster, file: /dev/zero }\n',
    '3:37',
    /"\/dev\/zero": it is a device/,
  ),
];
