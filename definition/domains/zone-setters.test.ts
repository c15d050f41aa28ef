import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { loadDefinition } from '../load-definition.js';
import { problemText } from '../source/problem.js';

/** Configuration of the load balancer for a definition with these zones, and the definition's faults. */
async function load(zones: string, domain = 'www.example.org') {
  const text = `infra: shop
domains:
${zones}
servers: [{ name: lb }, { name: web, count: 2 }]
taskservs:
  - { name: haproxy, on: { server: lb }, public: [http, https] }
  - { name: nginx, on: { role: web }, domain: ${domain} }
`;
  const folder = await mkdtemp(join(tmpdir(), 'zones-'));
  try {
    await writeFile(join(folder, 'shop.yaml'), text);
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set(['tsig']) };
    const { definition, problems } = await loadDefinition(join(folder, 'shop.yaml'), options);
    const told = problems.map((one) => problemText(one).replace(`${folder}/`, ''));
    const configs = (definition?.servers[0]?.taskservs ?? []).map(({ name, config }) => [name, config]);
    return { told, lb: Object.fromEntries(configs) as Record<string, Record<string, unknown>> };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const ACME = 'acme: { email: ops@example.org }';
const zone = (name: string, dns: string) => `  ${name}: { dns: ${dns}, ${ACME} }`;

test('a domain has its records at a cloud where its zone is at a provider', async () => {
  const { told, lb } = await load(zone('example.org', '{ provider: hetzner/prod }'));
  expect([told, Object.keys(lb).sort()]).toEqual([[], ['acme', 'cloud-dns', 'haproxy']]);
  expect(lb['cloud-dns']).toMatchObject({
    ...{ provider: 'hetzner/prod', zone: 'example.org', owner: 'default/shop' },
    records: [{ name: 'www.example.org', ttl: 300 }],
  });
});

test('one server may have names at a cloud and at a name server', async () => {
  const own = zone('example.org', '{ server: "ns:53", key: acme, tsigSecret: { secret: tsig } }');
  const { told, lb } = await load(`${own}\n${zone('example.net', '{ provider: aws }')}`, '[www.example.org, www.example.net]');
  expect([told, lb['dns-records']?.zone, lb['cloud-dns']?.zone]).toEqual([[], 'example.org', 'example.net']);
});

test.each([
  ['{ provider: hetzer }', /^shop.yaml:3:35: domains.example.org.dns.provider: unknown provider "hetzer"; did you mean "hetzner"/],
  [
    '{ provider: demo }',
    /^shop.yaml:3:\d+: domains.example.org.dns.provider: the provider "demo" has no zones of the DNS; name one/,
  ],
  [
    '{ provider: aws, server: "ns:53" }',
    /^shop.yaml:3:\d+: domains.example.org.dns.server: a zone has either a provider or a name server/,
  ],
  ['{ provider: aws, key: acme }', /^shop.yaml:3:\d+: domains.example.org.dns.key: unknown key "key"/],
])('a zone with %s is refused where it stands', async (dns, says) => {
  expect((await load(zone('example.org', dns))).told).toEqual([expect.stringMatching(says)]);
});
