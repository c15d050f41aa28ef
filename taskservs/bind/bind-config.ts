import * as z from 'zod';
import { duration, hostName, network, port } from '../../sdk/index.js';

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fd00::/8'];

const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const OWNER = new RegExp(String.raw`^(?:@|(?:\*|${LABEL})(?:\.${LABEL})*)$`);
const NUMBER = '(?:0|[1-9][0-9]{0,4})';

/** A number of numbers and then a name, which is complete and has no dot at its end. */
const named = (numbers: number) =>
  z
    .string()
    .regex(new RegExp(String.raw`^(?:${NUMBER} ){${numbers}}${LABEL}(?:\.${LABEL})*$`))
    .max(253);

const VALUES = {
  A: z.ipv4(),
  AAAA: z.ipv6(),
  CNAME: named(0),
  MX: named(1),
  NS: named(0),
  PTR: named(0),
  SRV: named(3),
  TXT: z.string().regex(/^[\x20-\x7e]{1,1000}$/),
} as const;

export type RecordType = keyof typeof VALUES;

const record = z
  .strictObject({
    name: z
      .string()
      .max(253)
      .regex(OWNER, { error: 'a name is relative to its zone: www, _dmarc, *.apps, or @ for the zone itself' })
      .default('@')
      .describe('Name within the zone; `@` for the zone itself'),
    type: z
      .enum(Object.keys(VALUES) as RecordType[])
      .default('A')
      .describe('Record type'),
    value: z.string().describe('Record value; names must be complete'),
  })
  .refine(({ type, value }) => VALUES[type].safeParse(value).success, {
    path: ['value'],
    error: 'A and AAAA have an address, CNAME, NS and PTR a name, MX "10 mail.example.org", SRV "0 5 5060 sip.example.org"',
  });

export type DnsRecord = z.output<typeof record>;

const zone = z
  .strictObject({
    name: hostName()
      .refine((name) => name === name.toLowerCase(), { error: 'a zone is named in lower-case letters' })
      .describe('Its domain'),
    nameServers: z.array(hostName()).min(1).describe('Names of its name servers, as in the parent zone'),
    ttl: duration('1 h').describe('Lifetime of a cached answer'),
    records: z.array(record).default([]).describe('Records'),
  })
  .refine(({ records }) => records.every((one) => one.type !== 'CNAME' || isAlone(one, records)), {
    path: ['records'],
    error: 'a name with a CNAME has no other record, and the zone itself has none',
  })
  .refine((zone) => zone.nameServers.every((server) => hasAddress(zone, server)), {
    path: ['nameServers'],
    error: 'a server whose name is in the zone needs a record of type A or AAAA there',
  });

export type Zone = z.output<typeof zone>;

export const bindConfig = z
  .strictObject({
    port: port(53).describe('UDP and TCP port for queries'),
    allow: z.array(network()).default(PRIVATE).describe('Clients that may query the zones, in addition to the host'),
    zones: z
      .array(zone)
      .refine((zones) => new Set(zones.map(({ name }) => name)).size === zones.length, {
        error: 'each zone may be listed only once',
      })
      .default([])
      .describe('Domains that it serves'),
    forwardTo: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .default([])
      .describe('Resolvers for all other names; without them it only serves its zones'),
    resolveFor: z.array(network()).default(PRIVATE).describe('Clients that may query all other names, in addition to the host'),
  })
  .meta({
    examples: [
      {
        zones: [
          {
            name: 'example.org',
            nameServers: ['ns1.example.org'],
            records: [
              { name: 'ns1', value: '203.0.113.5' },
              { type: 'MX', value: '10 mail.example.net' },
            ],
          },
        ],
        forwardTo: ['9.9.9.9'],
      },
    ],
  });

export type BindConfig = z.output<typeof bindConfig>;

const isAlone = ({ name }: DnsRecord, records: DnsRecord[]): boolean =>
  name !== '@' && records.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length === 1;

function hasAddress({ name, records }: { name: string; records: DnsRecord[] }, server: string): boolean {
  const full = server.toLowerCase();
  if (full !== name && !full.endsWith(`.${name}`)) return true;
  const own = full === name ? '@' : full.slice(0, -name.length - 1);
  return records.some((one) => one.name.toLowerCase() === own && (one.type === 'A' || one.type === 'AAAA'));
}
