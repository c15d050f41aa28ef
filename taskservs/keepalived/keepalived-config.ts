import * as z from 'zod';
import { anyPort, duration, endpoint, isIpv6, secret } from '../../sdk/index.js';

const NAME = /^[a-z][a-z0-9-]{0,39}$/;

const interfaceName = () =>
  z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, { error: 'the name of an interface has up to 15 letters, digits, ., _ and -' })
    .optional();

const written = z.union([z.cidrv4(), z.cidrv6()], { error: 'write an address with its prefix length: "10.0.0.100/24"' });

const movingAddress = z.strictObject({
  address: written.describe('Address with its prefix length: `10.0.0.100/24`'),
  interface: interfaceName().describe('Network interface of the address; default: the one with its network, or `interface`'),
});

/** The address without its prefix length. */
export const bare = (address: string): string => address.split('/')[0] ?? address;

export const keepalivedConfig = z
  .strictObject({
    group: z
      .string()
      .regex(NAME, { error: 'the name of a group has lower-case letters, digits and dashes, a letter first, at most 40 of them' })
      .default('default')
      .describe('Name of the group; servers with the same name share the addresses'),
    addresses: z
      .array(movingAddress)
      .min(1)
      .max(20)
      .refine((all) => new Set(all.map(({ address }) => bare(address))).size === all.length, {
        error: 'each address may be listed only once',
      })
      .describe('Addresses that one server of the group has at a time'),
    members: z
      .array(z.string().regex(NAME, { error: 'write the name of a server' }))
      .min(1)
      .refine((all) => new Set(all).size === all.length, { error: 'each server may be listed only once' })
      .optional()
      .describe('Servers of the group, the preferred one first; default: in the order of the definition'),
    interface: interfaceName().describe('Network interface of the members; default: the one by which they reach each other'),
    routerId: z
      .int()
      .min(1)
      .max(255)
      .optional()
      .describe('Virtual router id of the group, unique on its network; default: follows from the name of the group'),
    priority: z
      .int()
      .min(1)
      .max(254)
      .optional()
      .describe('Priority of the server, the highest is preferred; default: 200 for the first member, 199 for the second, …'),
    preempt: z.boolean().default(true).describe('Whether the addresses return to a preferred server once that is healthy'),
    interval: duration('1 s').describe('Time between two signs of life; the addresses move after three without one'),
    password: secret().optional().describe('Password of VRRP, up to 8 characters, sent in clear text; only with IPv4'),
    multicast: z.boolean().default(false).describe('Send signs of life to a multicast group instead of each member'),
    check: z
      .union(
        [
          z.strictObject({ port: anyPort().describe('TCP port of the service') }),
          endpoint({ taskserv: 'haproxy', offering: 'http' }),
        ],
        { error: 'write { port: PORT } or { taskserv: NAME, offering: ENDPOINT }' },
      )
      .optional()
      .describe('Service behind the addresses, on the same server; if it does not accept connections, the addresses move'),
  })
  .refine(({ password, addresses }) => password === undefined || addresses.some(({ address }) => !isIpv6(address)), {
    error: 'VRRP has no password with IPv6 only: remove it, or list an IPv4 address',
    path: ['password'],
  })
  .refine(({ interval }) => interval <= 40, { error: 'at most 40 s', path: ['interval'] })
  .meta({
    examples: [{ group: 'web', addresses: [{ address: '10.0.0.100/24' }], check: { port: 80 } }],
  });

export type KeepalivedConfig = z.output<typeof keepalivedConfig>;

/** IPv4 if one of the addresses is IPv4: VRRP between the members uses it. The others are carried along. */
export const chooseFamily = ({ addresses }: Pick<KeepalivedConfig, 'addresses'>): 4 | 6 =>
  addresses.some(({ address }) => !isIpv6(address)) ? 4 : 6;
