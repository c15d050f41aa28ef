import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { loadDefinition } from '../load-definition.js';
import { problemText } from '../source/problem.js';

const ZONE = `domains:
  example.org:
    dns: { server: "ns:53", key: acme, tsigSecret: { secret: tsig } }
    acme: { email: ops@example.org }
`;
const SITES = '[{ name: api, serverName: api.example.org, proxyTo: "http://127.0.0.1:3000" }]';
const nginx = (config: string, more = '') =>
  `  - { name: nginx, on: { server: web }, public: [http, https], config: { ${config} }${more} }\n`;

async function load(services: string, zones = ZONE, servers = '[{ name: web }]') {
  const folder = await mkdtemp(join(tmpdir(), 'short-tls-'));
  try {
    await writeFile(join(folder, 'shop.yaml'), `infra: shop\n${zones}servers: ${servers}\ntaskservs:\n${services}`);
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set(['tsig']) };
    const { definition, problems } = await loadDefinition(join(folder, 'shop.yaml'), options);
    return { definition, told: problems.map((one) => problemText(one).replace(`${folder}/`, '')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('stands for a certificate and the records of all names that are served', async () => {
  const { definition, told } = await load(nginx(`serverName: www.example.org, tls: true, sites: ${SITES}`));
  expect(told).toEqual([]);
  const byHand = await load(
    `${nginx(`serverName: www.example.org, tls: { acme: nginx }, sites: ${SITES}`)}  - name: dns-records
    config: { server: "ns:53", zone: example.org, key: acme, tsigSecret: { secret: tsig }, owner: default/shop, records: [{ name: www.example.org }, { name: api.example.org }] }
  - name: acme
    config: { email: ops@example.org, certificates: [{ name: nginx, domains: [www.example.org, api.example.org] }] }
`,
    '',
  );
  expect(byHand.told).toEqual([]);
  expect(definition?.servers).toEqual(byHand.definition?.servers);
});

test('takes the certificate that is there by hand', async () => {
  const acme =
    '  - { name: acme, config: { email: a@example.org, certificates: [{ name: all, domains: [b.org, www.example.org] }] } }\n';
  const { definition, told } = await load(nginx('serverName: www.example.org, tls: true') + acme, '');
  expect(told).toEqual([]);
  const config = definition?.servers[0]?.taskservs.find(({ name }) => name === 'nginx')?.config;
  expect(config).toMatchObject({ tls: { acme: 'all', port: 443, redirect: true } });
});

test.each([
  [
    'names in no zone',
    nginx('serverName: www.example.org, tls: true'),
    '',
    '"www.example.org" is in no zone of "domains"; add it: domains: { example.org: { dns: …, acme: … } }',
  ],
  [
    'a zone without acme',
    nginx('serverName: www.example.org, tls: true'),
    'domains: { example.org: { dns: { server: "ns:53", key: acme, tsigSecret: { secret: tsig } } } }\n',
    'the zones of these names have no acme: www.example.org; add it: acme: { email: … }',
  ],
  ['no names', nginx('tls: true'), ZONE, 'the certificate has no name; set serverName, or add a site with a server name'],
  [
    'a name for all names',
    nginx('serverName: "*.example.org", tls: true'),
    ZONE,
    'a certificate for "*.example.org" needs DNS-01; write acme with `dns` by hand, and tls: { acme: NAME } here',
  ],
])('is refused with %s, in one line', async (_, services, zones, message) => {
  const { told } = await load(services, zones);
  expect(told.map((line) => line.replace(/^shop\.yaml:\d+:\d+: /, ''))).toEqual([`taskservs[0].config.tls: ${message}`]);
});

test('is refused on several servers', async () => {
  const services = '  - { name: nginx, on: { role: web }, config: { serverName: www.example.org, tls: true } }\n';
  const { told } = await load(services, ZONE, '[{ name: web, count: 2 }]');
  expect(told).toEqual([
    expect.stringContaining('taskservs[0].config.tls: a name can lead to only one server, but "nginx" is on "web-1" and "web-2"'),
  ]);
});
