import * as z from 'zod';
import { duration, hostName, hostPort, secret } from '../../sdk/index.js';

const lower = (what: string) =>
  hostName().refine((name) => name === name.toLowerCase() && name.includes('.'), {
    error: `${what} must be complete and in lower-case letters, such as shop.example.org`,
  });

const address = z.union([z.ipv4(), z.ipv6()], { error: 'an address must be IPv4 or IPv6' });

const record = z.strictObject({
  name: lower('a name').describe('Name, complete'),
  addresses: z
    .array(address)
    .min(1)
    .max(50)
    .optional()
    .describe('Addresses; default: the address that this server uses for others'),
  ttl: duration('5 m').describe('Lifetime of a cached answer'),
});

export type DnsRecord = z.output<typeof record>;

export const dnsRecordsConfig = z
  .strictObject({
    server: hostPort('write a server as "ns1.example.org:53"').describe('Name server that accepts updates (RFC 2136)'),
    zone: lower('a zone').describe('Zone of the records'),
    key: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,200}$/, { error: 'the name of a TSIG key has letters, digits and "._-"' })
      .describe('Name of the TSIG key'),
    algorithm: z.enum(['hmac-sha256', 'hmac-sha512']).default('hmac-sha256').describe('Algorithm of the TSIG key'),
    tsigSecret: secret().describe('TSIG key, in base64'),
    owner: z
      .string()
      .regex(/^[a-z0-9][a-z0-9./-]{0,99}$/, { error: 'the name of an owner has lower-case letters, digits, ".", "/" and "-"' })
      .describe('Owner mark of the records, unique for each infra, such as its name'),
    records: z
      .array(record)
      .min(1)
      .max(100)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, { error: 'each name may be listed only once' })
      .describe('Names and their addresses'),
  })
  .refine(({ zone, records }) => records.every(({ name }) => name === zone || name.endsWith(`.${zone}`)), {
    path: ['records'],
    error: 'the names must be in the zone',
  })
  .meta({
    examples: [
      {
        server: 'ns1.example.org:53',
        zone: 'example.org',
        key: 'shop',
        tsigSecret: { generate: 'password' },
        owner: 'shop',
        records: [{ name: 'shop.example.org' }, { name: 'api.example.org', addresses: ['203.0.113.5'] }],
      },
    ],
  });

export type DnsRecordsConfig = z.output<typeof dnsRecordsConfig>;
