import { type Account, newMac, serverWithMac } from './account.js';
import { oneAddress, Refusal } from './answers.js';
import { type Routes, textOf } from './world.js';

let count = 0;

/**
 * Returns a new public address for a server without a container, or a floating address, from the ranges for
 * documentation.
 */
export function newAddress(
  account: Account,
  wanted: { zone: string; mac?: string; floating: boolean; address?: string; family?: string },
) {
  const number = ++count;
  const address =
    wanted.address ??
    (wanted.family === 'IPv6' ? `2001:db8::${number.toString(16)}` : `203.0.${(number >> 8) & 255}.${number & 255}`);
  account.addresses.set(address, {
    address,
    family: wanted.family ?? 'IPv4',
    access: 'public',
    zone: wanted.zone,
    floating: wanted.floating,
    policy: wanted.floating ? 'keep' : 'release',
    ptr: `${address.replace(/[.:]/g, '-')}.${wanted.zone}.upcloud.host`,
    mac: wanted.mac,
  });
  return address;
}

export const freshMac = newMac;

function floating(account: Account, address: string | undefined) {
  const found = account.addresses.get(address ?? '');
  if (!found) throw new Refusal(404, 'IP_ADDRESS_NOT_FOUND', `The IP address ${address} does not exist.`);
  return found;
}

export const addressRoutes: Routes = {
  'GET /1.3/ip_address': ({ account }) => ({
    status: 200,
    body: { ip_addresses: { ip_address: [...account.addresses.keys()].map((address) => oneAddress(account, address)) } },
  }),

  'GET /1.3/ip_address/{}': ({ account }, { ids }) => ({ status: 200, body: { ip_address: oneAddress(account, ids[0] ?? '') } }),

  'POST /1.3/ip_address': ({ account, quota }, { body }) => {
    if (quota) throw new Refusal(403, 'IP_ADDRESS_LIMIT_REACHED', 'The IP address limit of the account has been reached.');
    if (body.floating !== 'yes') throw new Refusal(400, 'REQUEST_INVALID', 'The stand-in makes floating addresses only.');
    const server = serverWithMac(account, textOf(body.mac));
    if (body.mac !== undefined && !server) throw new Refusal(404, 'MAC_INVALID', `No interface has the MAC address ${body.mac}.`);
    const zone = server?.zone ?? textOf(body.zone);
    if (zone === '') throw new Refusal(400, 'ZONE_MISSING', 'The required attribute zone is missing from the request.');
    const address = newAddress(account, { zone, mac: server ? textOf(body.mac) : undefined, floating: true });
    return { status: 201, body: { ip_address: oneAddress(account, address) } };
  },

  'PATCH /1.3/ip_address/{}': ({ account }, { ids, body }) => {
    const found = floating(account, ids[0]);
    if (body.mac !== undefined) {
      if (!found.floating) throw new Refusal(409, 'IP_ADDRESS_FORBIDDEN', `The IP address ${found.address} is not floating.`);
      const server = body.mac === null ? undefined : serverWithMac(account, textOf(body.mac));
      if (body.mac !== null && !server) throw new Refusal(404, 'MAC_INVALID', `No interface has the MAC address ${body.mac}.`);
      if (server && server.zone !== found.zone) throw new Refusal(409, 'ZONE_MISMATCH', 'The address is in another zone.');
      found.mac = server ? textOf(body.mac) : undefined;
    }
    if (body.release_policy !== undefined) found.policy = body.release_policy === 'release' ? 'release' : 'keep';
    if (body.ptr_record !== undefined) found.ptr = textOf(body.ptr_record);
    return { status: 202, body: { ip_address: oneAddress(account, found.address) } };
  },

  'DELETE /1.3/ip_address/{}': ({ account }, { ids }) => {
    const found = floating(account, ids[0]);
    if (found.mac) throw new Refusal(409, 'ADDRESS_ATTACHED', `The IP address ${found.address} is attached to a server.`);
    account.addresses.delete(found.address);
    return { status: 204 };
  },
};
