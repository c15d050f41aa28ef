import * as z from 'zod';
import { type CallOptions, type Http, segment } from './http.js';
import { createListSchema, envelope, yesNo } from './wire.js';

const ipAddress = z.looseObject({
  address: z.string(),
  /** `public`, `utility` or `private`. */
  access: z.string(),
  family: z.string(),
  floating: yesNo.optional(),
  /** MAC of the interface; absent for an unattached floating address. */
  mac: z.string().nullish(),
  /** UUID; absent for an unattached floating address. */
  server: z.string().nullish(),
  ptr_record: z.string().optional(),
  zone: z.string().optional(),
  part_of_plan: yesNo.optional(),
  release_policy: z.string().optional(),
});
export type IpAddress = z.output<typeof ipAddress>;

/** For a server, or floating: for an interface (`mac`), or unattached (`zone`). */
const ipAddressCreate = z.strictObject({
  family: z.enum(['IPv4', 'IPv6']).optional(),
  access: z.enum(['public', 'utility', 'private']).optional(),
  server: z.string().optional(),
  floating: yesNo.optional(),
  mac: z.string().optional(),
  zone: z.string().optional(),
  release_policy: z.enum(['keep', 'release']).optional(),
});
export type IpAddressCreate = z.output<typeof ipAddressCreate>;

const ipAddressChange = z.strictObject({
  ptr_record: z.string().optional(),
  /** MAC to which a floating address moves; null detaches it. */
  mac: z.string().nullish(),
  release_policy: z.enum(['keep', 'release']).optional(),
});
export type IpAddressModify = z.output<typeof ipAddressChange>;

const one = envelope('ip_address', ipAddress);
const at = (address: string) => `/ip_address/${segment(address)}`;

/** Creates the calls for addresses, which have no labels. */
export function createIpAddressCalls(http: Http) {
  return {
    async list(options?: CallOptions) {
      const answer = envelope('ip_addresses', createListSchema('ip_address', ipAddress));
      return (await http.send('GET', '/ip_address', { answer, options })).ip_addresses;
    },

    async read(address: string, options?: CallOptions) {
      return (await http.send('GET', at(address), { answer: one, options })).ip_address;
    },

    async create(wanted: IpAddressCreate, options?: CallOptions) {
      const body = { ip_address: z.encode(ipAddressCreate, wanted) };
      return (await http.send('POST', '/ip_address', { body, answer: one, options })).ip_address;
    },

    async modify(address: string, changes: IpAddressModify, options?: CallOptions) {
      const body = { ip_address: z.encode(ipAddressChange, changes) };
      return (await http.send('PATCH', at(address), { body, answer: one, options })).ip_address;
    },

    delete: (address: string, options?: CallOptions) => http.tell('DELETE', at(address), { options }),
  };
}
