import { bears, type Server, serverWithStorage, withBackups } from './account.js';
import { detailedServer, listedServer, Refusal } from './answers.js';
import { assertZone, PRIVATE_ZONES, planNamed } from './catalog.js';
import { makeServer } from './server-making.js';
import { deleteBackups } from './storages.js';
import { existing, itemsOf, labelsOf, type Routes, textOf, type World } from './world.js';

const serverOf = (world: World, uuid: string | undefined) => existing(world.account.servers, uuid, 'server');

function demandState(server: Server, state: Server['state']): void {
  if (server.state !== state || server.next)
    throw new Refusal(409, 'SERVER_STATE_ILLEGAL', `The server ${server.uuid} is in state ${server.state}.`);
}

const answer = (world: World, server: Server, status = 200) => ({
  status,
  body: { server: detailedServer(world.account, server) },
});

export const serverRoutes: Routes = {
  'GET /1.3/server': ({ account }, { query }) => ({
    status: 200,
    body: {
      servers: {
        server: [...account.servers.values()]
          .filter(({ labels }) => bears(labels, query))
          .map((server) => listedServer(account, server)),
      },
    },
  }),

  'POST /1.3/server': makeServer,

  'GET /1.3/server/{}': (world, { ids }) => answer(world, serverOf(world, ids[0])),

  'PUT /1.3/server/{}': (world, { ids, body }) => {
    const server = serverOf(world, ids[0]);
    if (body.plan !== undefined) {
      const { cores, memory } = planNamed(textOf(body.plan));
      demandState(server, 'stopped');
      Object.assign(server, { plan: body.plan, cores, memory });
    }
    if (body.labels !== undefined) server.labels = labelsOf(itemsOf(body.labels, 'label'));
    if (body.title !== undefined) server.title = textOf(body.title);
    if (body.firewall !== undefined) server.firewall = body.firewall === 'on' ? 'on' : 'off';
    return answer(world, server, 202);
  },

  'POST /1.3/server/{}/stop': async (world, { ids, body }) => {
    const server = serverOf(world, ids[0]);
    demandState(server, 'started');
    const soft = body.stop_type !== 'hard';
    const made = answer(world, server);
    server.next = { state: 'stopped', at: Date.now() + world.delays.stop };
    await world.machines.get(server.uuid)?.stop(soft ? 5 : 0);
    return made;
  },

  'POST /1.3/server/{}/start': (world, { ids }) => {
    const server = serverOf(world, ids[0]);
    demandState(server, 'stopped');
    server.state = 'started';
    void world.machines.get(server.uuid)?.start();
    return answer(world, server);
  },

  'DELETE /1.3/server/{}': async (world, { ids, query }) => {
    const { account, machines } = world;
    const server = serverOf(world, ids[0]);
    demandState(server, 'stopped');
    if (query.get('storages') === '1') {
      for (const { storage } of server.devices) {
        deleteBackups(account, storage, query);
        account.storages.delete(storage);
      }
    }
    account.servers.delete(server.uuid);
    for (const tag of account.tags.values()) tag.servers = tag.servers.filter((uuid) => uuid !== server.uuid);
    const macs = new Set(server.interfaces.map(({ mac }) => mac));
    for (const [key, address] of account.addresses) {
      if (!address.mac || !macs.has(address.mac)) continue;
      if (address.policy === 'release') account.addresses.delete(key);
      else Object.assign(address, { mac: undefined, floating: true });
    }
    for (const group of account.groups.values()) group.servers = group.servers.filter((uuid) => uuid !== server.uuid);
    await machines.get(server.uuid)?.remove();
    machines.delete(server.uuid);
    return { status: 204 };
  },

  'POST /1.3/server/{}/relocate': (world, { ids, body }) => {
    const server = serverOf(world, ids[0]);
    demandState(server, 'stopped');
    const zone = textOf(body.zone);
    judgeRelocation(world, server, zone);
    server.state = 'maintenance';
    for (const storage of withBackups(world.account.storages, server)) storage.state = 'maintenance';
    server.next = { state: 'stopped', at: Date.now() + world.delays.relocation, zone };
    return answer(world, server);
  },

  'POST /1.3/server/{}/storage/attach': (world, { ids, body }) => {
    const server = serverOf(world, ids[0]);
    demandState(server, 'stopped');
    const storage = existing(world.account.storages, textOf(body.storage), 'storage');
    if (serverWithStorage(world.account, storage.uuid))
      throw new Refusal(409, 'STORAGE_ATTACHED', `The storage ${storage.uuid} is attached already.`);
    const number = Math.max(...server.devices.map(({ address }) => Number(address.split(':')[1]))) + 1;
    server.devices.push({ address: `virtio:${number}`, storage: storage.uuid, boot: false });
    return answer(world, server);
  },

  'GET /1.3/server/{}/firewall_rule': (world, { ids }) => ({
    status: 200,
    body: { firewall_rules: { firewall_rule: serverOf(world, ids[0]).rules } },
  }),

  'PUT /1.3/server/{}/firewall_rule': (world, { ids, body }) => {
    const server = serverOf(world, ids[0]);
    if (server.state === 'maintenance')
      throw new Refusal(409, 'SERVER_STATE_ILLEGAL', `The server ${server.uuid} is in state maintenance.`);
    server.rules = itemsOf(body, 'firewall_rule').map((rule, index) => ruleOf(rule, index + 1));
    return { status: 204 };
  },
};

/** Validates a relocation according to the vendor's clients. The real error codes are unknown, so these are made up. */
function judgeRelocation({ account }: World, server: Server, zone: string): void {
  assertZone(zone);
  const place = (id: string) => PRIVATE_ZONES[id] ?? id;
  if (zone === server.zone || place(zone) !== place(server.zone))
    throw new Refusal(409, 'ZONE_MISMATCH', `The server ${server.uuid} in ${server.zone} cannot be relocated to ${zone}.`);
  if (server.interfaces.some(({ type }) => type === 'private'))
    throw new Refusal(409, 'NETWORK_FORBIDDEN', `The server ${server.uuid} is attached to a private network.`);
  const unready = withBackups(account.storages, server).find(({ state }) => state !== 'online');
  if (unready) throw new Refusal(409, 'STORAGE_STATE_ILLEGAL', `The storage ${unready.uuid} is in state ${unready.state}.`);
}

const RULE_FIELDS = [
  'action',
  'comment',
  'destination_address_end',
  'destination_address_start',
  'destination_port_end',
  'destination_port_start',
  'direction',
  'family',
  'icmp_type',
  'protocol',
  'source_address_end',
  'source_address_start',
  'source_port_end',
  'source_port_start',
];

/** Formats a rule: absent fields are empty. */
function ruleOf(rule: Record<string, unknown>, position: number): Record<string, string> {
  const ports = ['destination_port_start', 'source_port_start'].some((field) => textOf(rule[field]) !== '');
  if (ports && rule.protocol !== 'tcp' && rule.protocol !== 'udp')
    throw new Refusal(400, 'PORT_PROTOCOL_MISMATCH', 'Ports need the protocol tcp or udp.');
  if (textOf(rule.source_address_start) !== '' && textOf(rule.family) === '')
    throw new Refusal(400, 'SOURCE_ADDRESS_START_INVALID', 'An address needs a family.');
  return { ...Object.fromEntries(RULE_FIELDS.map((field) => [field, textOf(rule[field])])), position: String(position) };
}
