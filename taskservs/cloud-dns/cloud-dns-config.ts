import * as z from 'zod';
import { duration, hostName } from '../../sdk/index.js';

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
    .describe('Addresses; default: the address that other servers use for this server'),
  ttl: duration('5 m')
    .refine((seconds) => seconds >= 60 && seconds <= 2_147_483_647, { error: 'the lifetime of an answer is at least one minute' })
    .describe('Lifetime of a cached answer'),
});

export type CloudRecord = z.output<typeof record>;

export const cloudDnsConfig = z
  .strictObject({
    provider: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,39}(\/[a-z][a-z0-9-]{0,39})?$/, {
        error: 'write a provider as hetzner, or with its account as hetzner/prod',
      })
      .describe('Provider with the zone, with its account unless it is the default one'),
    zone: lower('a zone').describe('Zone of the records'),
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
        provider: 'hetzner',
        zone: 'example.org',
        owner: 'shop',
        records: [{ name: 'shop.example.org' }, { name: 'api.example.org', addresses: ['203.0.113.5'] }],
      },
    ],
  });

export type CloudDnsConfig = z.output<typeof cloudDnsConfig>;
