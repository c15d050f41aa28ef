import type { UpCloudClient } from '../index.js';
import { createWantedServer, testStorage } from './parts.js';

/** Placeholder of every id and name, which a test replaces with `{}`. */
export const ID = 'ID';

/**
 * A call of the client with its first request. The body is given if neither specification nor recordings have the
 * request.
 */
export type Row = [call: string, make: (client: UpCloudClient) => Promise<unknown>, request: string, body?: unknown];

const rule = { direction: 'in', action: 'accept' } as const;
const device = { storage: ID };
const onUtility = { type: 'utility' as const, ip_addresses: [] };
const gateway = { name: ID, zone: ID, features: ['nat'], routers: [], configured_status: 'started' as const };
const forwarding = { name: ID, priority: 1, matchers: [], actions: [] };
const balancer = {
  name: ID,
  plan: ID,
  zone: ID,
  configured_status: 'started' as const,
  backends: [],
  frontends: [],
  resolvers: [],
};
const labels = ['a', { key: 'b', value: 'c' }];
const byLabels = '?label=a&label=b%3Dc';
const firstPage = 'limit=100&offset=0';

const servers: Row[] = [
  ['servers.list', (it) => it.servers.list(), 'GET /server'],
  ['servers.list', (it) => it.servers.list({ labels }), `GET /server/${byLabels}`],
  ['servers.create', (it) => it.servers.create(createWantedServer('')), 'POST /server'],
  ['servers.read', (it) => it.servers.read(ID), 'GET /server/{}'],
  ['servers.modify', (it) => it.servers.modify(ID, {}), 'PUT /server/{}'],
  ['servers.start', (it) => it.servers.start(ID), 'POST /server/{}/start'],
  ['servers.stop', (it) => it.servers.stop(ID, { type: 'hard' }), 'POST /server/{}/stop'],
  ['servers.restart', (it) => it.servers.restart(ID, { type: 'hard' }), 'POST /server/{}/restart'],
  ['servers.delete', (it) => it.servers.delete(ID), 'DELETE /server/{}'],
  ['servers.delete', (it) => it.servers.delete(ID, { storages: true }), 'DELETE /server/{}/?storages=1'],
  [
    'servers.delete',
    (it) => it.servers.delete(ID, { storages: true, backups: 'keep_latest' }),
    'DELETE /server/{}/?storages=1&backups=keep_latest',
  ],
  ['servers.relocate', (it) => it.servers.relocate(ID, 'fi-hel2'), 'POST /server/{}/relocate', { zone: 'fi-hel2' }],
  ['servers.tag', (it) => it.servers.tag(ID, ['web', 'DEV']), 'POST /server/{}/tag/web,DEV', undefined],
  ['servers.untag', (it) => it.servers.untag(ID, ['web']), 'POST /server/{}/untag/web', undefined],
  ['servers.attachStorage', (it) => it.servers.attachStorage(ID, device), 'POST /server/{}/storage/attach'],
  ['servers.detachStorage', (it) => it.servers.detachStorage(ID, ID), 'POST /server/{}/storage/detach'],
  ['servers.loadCdrom', (it) => it.servers.loadCdrom(ID, ID), 'POST /server/{}/cdrom/load'],
  ['servers.ejectCdrom', (it) => it.servers.ejectCdrom(ID), 'POST /server/{}/cdrom/eject'],
  ['servers.networking', (it) => it.servers.networking(ID), 'GET /server/{}/networking'],
  ['servers.createInterface', (it) => it.servers.createInterface(ID, onUtility), 'POST /server/{}/networking/interface'],
  ['servers.modifyInterface', (it) => it.servers.modifyInterface(ID, 1, {}), 'PUT /server/{}/networking/interface/1'],
  ['servers.deleteInterface', (it) => it.servers.deleteInterface(ID, 1), 'DELETE /server/{}/networking/interface/1'],
  ['tags.list', (it) => it.tags.list(), 'GET /tag'],
  ['tags.read', (it) => it.tags.read(ID), 'GET /tag/{}'],
  ['tags.create', (it) => it.tags.create({ name: ID, servers: [] }), 'POST /tag'],
  [
    'tags.modify',
    (it) => it.tags.modify(ID, { name: 'web', description: 'Serves', servers: [] }),
    'PUT /tag/{}',
    { tag: { name: 'web', description: 'Serves', servers: { server: [] } } },
  ],
  ['tags.delete', (it) => it.tags.delete(ID), 'DELETE /tag/{}'],
  ['firewallRules.list', (it) => it.firewallRules.list(ID), 'GET /server/{}/firewall_rule'],
  ['firewallRules.read', (it) => it.firewallRules.read(ID, 1), 'GET /server/{}/firewall_rule/1'],
  ['firewallRules.create', (it) => it.firewallRules.create(ID, rule), 'POST /server/{}/firewall_rule'],
  ['firewallRules.replace', (it) => it.firewallRules.replace(ID, []), 'PUT /server/{}/firewall_rule'],
  ['firewallRules.delete', (it) => it.firewallRules.delete(ID, 1), 'DELETE /server/{}/firewall_rule/1'],
  ['serverGroups.list', (it) => it.serverGroups.list(), 'GET /server-group'],
  ['serverGroups.list', (it) => it.serverGroups.list({ labels }), `GET /server-group${byLabels}`],
  ['serverGroups.read', (it) => it.serverGroups.read(ID), 'GET /server-group/{}'],
  ['serverGroups.create', (it) => it.serverGroups.create({ title: ID }), 'POST /server-group'],
  ['serverGroups.modify', (it) => it.serverGroups.modify(ID, {}), 'PATCH /server-group/{}'],
  ['serverGroups.addServer', (it) => it.serverGroups.addServer(ID, ID), 'POST /server-group/{}/servers', { server: { uuid: ID } }],
  ['serverGroups.removeServer', (it) => it.serverGroups.removeServer(ID, ID), 'DELETE /server-group/{}/servers/{}'],
  ['serverGroups.delete', (it) => it.serverGroups.delete(ID), 'DELETE /server-group/{}'],
];

const storages: Row[] = [
  ['storages.list', (it) => it.storages.list(), 'GET /storage'],
  ['storages.list', (it) => it.storages.list({ labels }), `GET /storage${byLabels}`],
  ['storages.list', (it) => it.storages.list({ kind: 'private' }), 'GET /storage/private'],
  ['storages.list', (it) => it.storages.list({ kind: 'template' }), 'GET /storage/template'],
  ['storages.list', (it) => it.storages.list({ kind: 'private', labels }), `GET /storage/private${byLabels}`],
  ['storages.read', (it) => it.storages.read(ID), 'GET /storage/{}'],
  ['storages.create', (it) => it.storages.create(testStorage), 'POST /storage'],
  ['storages.modify', (it) => it.storages.modify(ID, { size: 20 }), 'PUT /storage/{}'],
  ['storages.resizeFilesystem', (it) => it.storages.resizeFilesystem(ID), 'POST /storage/{}/resize'],
  ['storages.delete', (it) => it.storages.delete(ID), 'DELETE /storage/{}'],
  ['storages.delete', (it) => it.storages.delete(ID, { backups: 'delete' }), 'DELETE /storage/{}?backups=delete'],
  ['storages.clone', (it) => it.storages.clone(ID, { title: ID, zone: ID }), 'POST /storage/{}/clone'],
  ['storages.templatize', (it) => it.storages.templatize(ID, ID), 'POST /storage/{}/templatize'],
  ['storages.backup', (it) => it.storages.backup(ID, 'a'), 'POST /storage/{}/backup', { storage: { title: 'a' } }],
  ['storages.restore', (it) => it.storages.restore(ID), 'POST /storage/{}/restore', undefined],
  ['storages.import', (it) => it.storages.import(ID, 'http://a'), 'POST /storage/{}/import'],
  ['storages.readImport', (it) => it.storages.readImport(ID), 'GET /storage/{}/import'],
];

const networks: Row[] = [
  ['networks.list', (it) => it.networks.list(), 'GET /network'],
  ['networks.list', (it) => it.networks.list({ zone: 'a' }), 'GET /network/?zone=a'],
  ['networks.list', (it) => it.networks.list({ labels }), `GET /network${byLabels}`],
  ['networks.list', (it) => it.networks.list({ zone: 'a', labels }), 'GET /network?zone=a&label=a&label=b%3Dc'],
  ['networks.read', (it) => it.networks.read(ID), 'GET /network/{}'],
  ['networks.create', (it) => it.networks.create({ name: ID, zone: ID, ip_networks: [] }), 'POST /network/'],
  ['networks.modify', (it) => it.networks.modify(ID, {}), 'PUT /network/{}'],
  ['networks.delete', (it) => it.networks.delete(ID), 'DELETE /network/{}'],
  ['routers.list', (it) => it.routers.list(), 'GET /router'],
  ['routers.list', (it) => it.routers.list({ labels }), `GET /router${byLabels}`],
  ['routers.read', (it) => it.routers.read(ID), 'GET /router/{}'],
  ['routers.create', (it) => it.routers.create({ name: ID }), 'POST /router'],
  ['routers.modify', (it) => it.routers.modify(ID, {}), 'PATCH /router/{}'],
  ['routers.delete', (it) => it.routers.delete(ID), 'DELETE /router/{}'],
  ['gateways.list', (it) => it.gateways.list(), `GET /gateway?${firstPage}`],
  ['gateways.list', (it) => it.gateways.list({ labels }), `GET /gateway${byLabels}&${firstPage}`],
  ['gateways.read', (it) => it.gateways.read(ID), 'GET /gateway/{}'],
  ['gateways.create', (it) => it.gateways.create(gateway), 'POST /gateway'],
  ['gateways.modify', (it) => it.gateways.modify(ID, {}), 'PATCH /gateway/{}'],
  ['gateways.delete', (it) => it.gateways.delete(ID), 'DELETE /gateway/{}'],
  ['ipAddresses.list', (it) => it.ipAddresses.list(), 'GET /ip_address'],
  ['ipAddresses.read', (it) => it.ipAddresses.read(ID), 'GET /ip_address/{}'],
  ['ipAddresses.read', (it) => it.ipAddresses.read('2a04:3540::1'), 'GET /ip_address/2a04:3540::1'],
  ['ipAddresses.create', (it) => it.ipAddresses.create({}), 'POST /ip_address'],
  ['ipAddresses.modify', (it) => it.ipAddresses.modify(ID, {}), 'PATCH /ip_address/{}'],
  ['ipAddresses.delete', (it) => it.ipAddresses.delete(ID), 'DELETE /ip_address/{}'],
];

type Parts = 'backends' | 'members' | 'frontends' | 'rules' | 'resolvers';

/** Creates the rows for named parts of a load balancer, each with a valid body. */
const parts = (part: Parts, folder: string, wanted: Record<string, unknown>): Row[] => {
  const of = (it: UpCloudClient) => it.loadBalancers[part](ID, ID) as ReturnType<UpCloudClient['loadBalancers']['resolvers']>;
  const at = `/load-balancer/{}/${folder}`;
  const named = { name: ID, ...wanted } as never;
  return [
    [`loadBalancers.${part}.list`, (it) => of(it).list(), `GET ${at}`],
    [`loadBalancers.${part}.read`, (it) => of(it).read(ID), `GET ${at}/{}`],
    [`loadBalancers.${part}.create`, (it) => of(it).create(named), `POST ${at}`],
    [`loadBalancers.${part}.modify`, (it) => of(it).modify(ID, {}), `PATCH ${at}/{}`],
    [`loadBalancers.${part}.delete`, (it) => of(it).delete(ID), `DELETE ${at}/{}`],
  ];
};

const loadBalancers: Row[] = [
  ['loadBalancers.list', (it) => it.loadBalancers.list(), `GET /load-balancer?${firstPage}`],
  ['loadBalancers.list', (it) => it.loadBalancers.list({ labels }), `GET /load-balancer${byLabels}&${firstPage}`],
  ['loadBalancers.read', (it) => it.loadBalancers.read(ID), 'GET /load-balancer/{}'],
  ['loadBalancers.create', (it) => it.loadBalancers.create(balancer), 'POST /load-balancer'],
  ['loadBalancers.modify', (it) => it.loadBalancers.modify(ID, {}), 'PATCH /load-balancer/{}'],
  ['loadBalancers.delete', (it) => it.loadBalancers.delete(ID), 'DELETE /load-balancer/{}'],
  ['loadBalancers.renameNetwork', (it) => it.loadBalancers.renameNetwork(ID, ID, ID), 'PATCH /load-balancer/{}/networks/{}'],
  ['loadBalancers.plans', (it) => it.loadBalancers.plans(), `GET /load-balancer/plans?${firstPage}`],
  [
    'loadBalancers.dnsChallengeDomain',
    (it) => it.loadBalancers.dnsChallengeDomain(),
    'GET /load-balancer/certificate-bundles/dns-challenge-domain',
  ],
  ...parts('backends', 'backends', { members: [] }),
  ...parts('members', 'backends/{}/members', { type: 'static', enabled: true, weight: 1, max_sessions: 1 }),
  ...parts('frontends', 'frontends', { mode: 'tcp', port: 1, default_backend: ID }),
  ...parts('rules', 'frontends/{}/rules', forwarding),
  [
    'loadBalancers.rules.replace',
    (it) => it.loadBalancers.rules(ID, ID).replace(ID, forwarding),
    'PUT /load-balancer/{}/frontends/{}/rules/{}',
  ],
  ...parts('resolvers', 'resolvers', {
    nameservers: [],
    retries: 1,
    timeout: 1,
    timeout_retry: 1,
    cache_valid: 1,
    cache_invalid: 1,
  }),
];

const others: Row[] = [
  ['offer.plans', (it) => it.offer.plans(), 'GET /plan'],
  ['offer.zones', (it) => it.offer.zones(), 'GET /zone'],
  ['offer.prices', (it) => it.offer.prices(), 'GET /price'],
  ['offer.timezones', (it) => it.offer.timezones(), 'GET /timezone'],
  ['offer.serverSizes', (it) => it.offer.serverSizes(), 'GET /server_size'],
  ['account.read', (it) => it.account.read(), 'GET /account'],
  ['account.details', (it) => it.account.details(ID), 'GET /account/details/{}'],
  ['hosts.list', (it) => it.hosts.list(), 'GET /host'],
  ['hosts.read', (it) => it.hosts.read(1), 'GET /host/1'],
  ['hosts.describe', (it) => it.hosts.describe(1, ID), 'PATCH /host/1'],
  ['tokens.list', (it) => it.tokens.list(), 'GET /account/tokens'],
  ['tokens.read', (it) => it.tokens.read(ID), 'GET /account/tokens/{}'],
  ['tokens.create', (it) => it.tokens.create({ name: ID }), 'POST /account/tokens'],
  ['tokens.delete', (it) => it.tokens.delete(ID), 'DELETE /account/tokens/{}'],
];

/** Every request of the client, once in each form. */
export const allRequests: Row[] = [...servers, ...storages, ...networks, ...loadBalancers, ...others];
