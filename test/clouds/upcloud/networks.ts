import { type Account, bears, type Network, newUuid } from './account.js';
import { oneNetwork, Refusal } from './answers.js';
import { assertZone } from './catalog.js';
import { existing, itemsOf, labelsOf, type Routes, textOf } from './world.js';

let numbers = 0;

/** Returns whether a server of a private network has this address. */
export const isTaken = ({ servers }: Account, network: string, address: string): boolean =>
  [...servers.values()].some(({ interfaces }) =>
    interfaces.some((one) => one.network === network && one.addresses.some((own) => own.address === address)),
  );

/** Returns the next free address of a private network, from `.2`, as its DHCP server assigns them. */
export function nextAddress(account: Account, network: Network): string {
  const parts = (textOf(network.ip[0]?.address).split('/')[0] ?? '').split('.').map(Number);
  for (;;) {
    const number = 2 + network.given++;
    const address = [parts[0], parts[1], (parts[2] ?? 0) + (number >> 8), number & 255].join('.');
    if (!isTaken(account, network.uuid, address)) return address;
  }
}

export const networkRoutes: Routes = {
  'GET /1.3/network': ({ account }, { query }) => ({
    status: 200,
    body: {
      networks: {
        network: [...account.networks.values()]
          .filter(({ labels, zone }) => bears(labels, query) && (!query.get('zone') || query.get('zone') === zone))
          .map((network) => oneNetwork(account, network, true)),
      },
    },
  }),

  'POST /1.3/network': ({ account, quota }, { body }) => {
    if (quota) throw new Refusal(403, 'INSUFFICIENT_CREDITS', 'The account has too few credits.');
    const name = textOf(body.name);
    if (name === '') throw new Refusal(400, 'NETWORK_NAME_MISSING', 'The required attribute name is missing from the request.');
    const zone = textOf(body.zone);
    assertZone(zone);
    const ip = itemsOf(body.ip_networks, 'ip_network');
    for (const { address } of ip)
      if (!/^\d+\.\d+\.\d+\.\d+\/\d+$/.test(textOf(address)))
        throw new Refusal(400, 'ADDRESS_INVALID', `The address ${address} is invalid.`);
    if (body.router !== undefined) existing(account.routers, textOf(body.router), 'router');
    const network: Network = {
      uuid: newUuid('network'),
      name,
      zone,
      ip,
      labels: labelsOf((body.labels ?? []) as Record<string, unknown>[]),
      router: body.router === undefined ? undefined : textOf(body.router),
      given: 0,
      number: (++numbers % 4000) + 1,
    };
    account.networks.set(network.uuid, network);
    return { status: 201, body: { network: oneNetwork(account, network, false) } };
  },

  'GET /1.3/network/{}': ({ account }, { ids }) => ({
    status: 200,
    body: { network: oneNetwork(account, existing(account.networks, ids[0], 'network'), true) },
  }),

  'PUT /1.3/network/{}': ({ account }, { ids, body }) => {
    const network = existing(account.networks, ids[0], 'network');
    if (body.name !== undefined) network.name = textOf(body.name);
    if (body.labels !== undefined) network.labels = labelsOf(body.labels as Record<string, unknown>[]);
    return { status: 200, body: { network: oneNetwork(account, network, false) } };
  },

  'DELETE /1.3/network/{}': ({ account }, { ids }) => {
    const network = existing(account.networks, ids[0], 'network');
    const used = [...account.servers.values()].some(({ interfaces }) => interfaces.some((one) => one.network === network.uuid));
    if (used) throw new Refusal(409, 'NETWORK_NOT_EMPTY', `The network ${network.uuid} has servers attached.`);
    account.networks.delete(network.uuid);
    return { status: 204 };
  },
};
