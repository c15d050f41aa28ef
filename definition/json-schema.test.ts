import { expect, test } from 'vitest';
import { acme } from '../taskservs/acme/acme.js';
import { app } from '../taskservs/app/app.js';
import { cloudDns } from '../taskservs/cloud-dns/cloud-dns.js';
import { dnsRecords } from '../taskservs/dns-records/dns-records.js';
import { taskservs } from './fixtures.js';
import { definitionSchema, taskservSchema } from './json-schema.js';

/** Every reference into `$defs` of a JSON Schema. */
const referencesIn = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map((match) => match[1] as string);

test('the schema of definitions says what each taskserv takes, in both places that name one', () => {
  const schema = definitionSchema(taskservs) as { required: string[]; $defs: Record<string, { properties?: object }> };
  expect(schema.required).toEqual(['infra', 'servers']);
  const references = referencesIn(schema);
  for (const name of Object.keys(taskservs)) {
    expect([name, references.filter((reference) => reference === `config-${name}`).length]).toEqual([name, 2]);
  }
  for (const reference of references) expect(schema.$defs).toHaveProperty(reference);
  expect(Object.keys(schema.$defs['config-redis']?.properties ?? {})).toContain('maxMemory');
});

test('what a server may have several of is named with its instance, whose name its configuration need not say', () => {
  type Part = { required: string[]; properties: object };
  const schema = definitionSchema({ app, redis: taskservs.redis } as never) as { $defs: Record<string, Part> };
  const text = JSON.stringify(schema);
  expect(text).toContain('"anyOf":[{"enum":["app","redis"]},{"pattern":"^app@[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$"}]');
  expect(referencesIn(schema).filter((name) => name === 'config-app@name')).toHaveLength(2);
  const { 'config-app': one, 'config-app@name': several } = schema.$defs;
  expect([one?.required, several?.required]).toEqual([['name', 'processes'], ['processes']]);
  expect(Object.keys(several?.properties ?? {})).toEqual(Object.keys(one?.properties ?? {}));
});

test('a secret is shown as it is written in a file', () => {
  const schema = taskservSchema(taskservs.redis as never);
  expect(schema).toMatchObject({
    title: 'redis',
    properties: {
      password: { properties: { secret: {}, generate: { enum: ['password', 'token', 'ssh-key', 'ca', 'certificate'] } } },
    },
  });
  expect(JSON.stringify(schema)).not.toContain('$secret');
});

test('the schema of a zone is that of the taskservs that it configures, without what follows from domains', () => {
  type Part = { properties: object; required: string[]; additionalProperties: boolean };
  const schema = definitionSchema({ acme, 'dns-records': dnsRecords } as never) as { $defs: Record<string, Part> };
  const { 'zone-dns': dns, 'zone-acme': certificates } = schema.$defs;
  expect([dns?.required, certificates?.required]).toEqual([['server', 'key', 'tsigSecret'], ['email']]);
  expect(Object.keys(dns?.properties ?? {})).toEqual(['server', 'key', 'algorithm', 'tsigSecret', 'owner']);
  expect(Object.keys(certificates?.properties ?? {})).not.toContain('certificates');
  expect(schema).toMatchObject({
    properties: {
      domains: { additionalProperties: { properties: { dns: { $ref: '#/$defs/zone-dns' }, acme: { $ref: '#/$defs/zone-acme' } } } },
    },
  });
  const either = definitionSchema({ 'cloud-dns': cloudDns, 'dns-records': dnsRecords } as never) as {
    $defs: Record<string, { anyOf: Part[] }>;
  };
  expect(either.$defs['zone-dns']?.anyOf.map(({ required }) => required)).toEqual([['server', 'key', 'tsigSecret'], ['provider']]);
  // Without those taskservs a zone is any map.
  expect(referencesIn(definitionSchema(taskservs)).filter((name) => name.startsWith('zone-'))).toEqual([]);
});
