import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { LoadBalancerCreate, UpCloudClient } from '../index.js';
import { NO_PAUSE, type Script } from './parts.js';

/** Names that were generated during the recording. */
interface Recorded {
  network: string;
  name: string;
  zone: string;
  range: string;
}

const networkOf = (client: UpCloudClient, { network, zone, range }: Recorded) =>
  client.networks.create({
    name: network,
    zone,
    ip_networks: [{ address: range, dhcp: true, dhcp_default_route: false, family: 'IPv4' }],
  });

async function created(client: UpCloudClient, recorded: Recorded, more: Partial<LoadBalancerCreate> = {}) {
  const network = await networkOf(client, recorded);
  const { uuid } = await client.loadBalancers.create({
    name: recorded.name,
    plan: 'development',
    zone: recorded.zone,
    network_uuid: network.uuid,
    configured_status: 'started',
    frontends: [],
    backends: [],
    resolvers: [],
    ...more,
  });
  return { uuid, network: network.uuid };
}

async function removed(client: UpCloudClient, { uuid, network }: { uuid: string; network: string }) {
  await client.loadBalancers.delete(uuid);
  await client.loadBalancers.waitGone(uuid, NO_PAUSE);
  await client.networks.delete(network);
}

const dynamicMember = {
  name: 'default-lb-backend-member',
  weight: 100,
  max_sessions: 1000,
  enabled: true,
  type: 'dynamic',
  ip: '196.123.123.123',
  port: 8000,
};

const tlsProperties = { timeout_server: 30, tls_enabled: true, tls_verify: true, tls_use_system_ca: true };

export const loadBalancerScripts: Record<string, Script> = {
  async loadbalancer(client) {
    const both = await created(
      client,
      { network: 'go-api-lb-1750327945', name: 'go-api-lb-fi-hel1-1750327946', zone: 'fi-hel1', range: '172.16.1.0/24' },
      { maintenance_dow: 'sunday', maintenance_time: '20:01:01Z' },
    );
    await client.loadBalancers.modify(both.uuid, {
      name: 'new-name-for-lb',
      maintenance_dow: 'monday',
      maintenance_time: '00:01:01Z',
    });
    strictEqual((await client.loadBalancers.read(both.uuid)).name, 'new-name-for-lb');
    strictEqual((await client.loadBalancers.list()).length, 2);
    await removed(client, both);
  },

  async loadbalancerbackend(client) {
    const both = await created(client, {
      network: 'go-api-lb-1699962884',
      name: 'go-api-lb-fi-hel2-1699962885',
      zone: 'fi-hel2',
      range: '172.16.2.0/24',
    });
    const backends = client.loadBalancers.backends(both.uuid);
    await backends.create({ name: 'go-api-lb-backend-1699962885', members: [dynamicMember], properties: tlsProperties });
    await backends.modify('go-api-lb-backend-1699962885', { name: 'updatedName', properties: { health_check_type: 'tcp' } });
    strictEqual((await backends.read('updatedName')).members[0]?.enabled, true);
    deepStrictEqual(
      (await backends.list()).map(({ name }) => name),
      ['updatedName'],
    );
    await backends.delete('updatedName');
    await removed(client, both);
  },

  async loadbalancerbackendmember(client) {
    const both = await created(client, {
      network: 'go-test-lb-1686161605',
      name: 'go-test-lb-nl-ams1-1686161606',
      zone: 'nl-ams1',
      range: '172.16.3.0/24',
    });
    const backend = 'go-test-lb-backend-1686161606';
    await client.loadBalancers
      .backends(both.uuid)
      .create({ name: backend, members: [dynamicMember], properties: { timeout_server: 30 } });
    const members = client.loadBalancers.members(both.uuid, backend);
    const wanted = { weight: 100, max_sessions: 123, enabled: true, type: 'static', ip: '10.0.0.2', port: 80 };
    await members.create({ name: 'test_member', ...wanted });
    await members.modify('test_member', { name: 'test_member_TURBO', weight: 50, max_sessions: 321 });
    await members.modify('test_member_TURBO', { enabled: true, ip: '231.231.231.231', port: 3003 });
    strictEqual((await members.read('test_member_TURBO')).port, 3003);
    strictEqual((await members.list()).length, 2);
    await members.delete('test_member_TURBO');
    await removed(client, both);
  },

  async loadbalancerfrontend(client) {
    const both = await created(client, {
      network: 'go-api-lb-1699963132',
      name: 'go-api-lb-de-fra1-1699963133',
      zone: 'de-fra1',
      range: '10.0.3.0/24',
    });
    const backend = 'go-api-lb-backend-1699963134';
    await client.loadBalancers.backends(both.uuid).create({ name: backend, members: [dynamicMember], properties: tlsProperties });
    const frontends = client.loadBalancers.frontends(both.uuid);
    const properties = { timeout_client: 10, inbound_proxy_protocol: true, http2_enabled: false };
    await frontends.create({ name: 'fe-1', mode: 'http', port: 443, default_backend: backend, properties });
    await frontends.modify('fe-1', { name: 'fe-2', mode: 'tcp', port: 80, properties: { http2_enabled: false } });
    strictEqual((await frontends.read('fe-2')).port, 80);
    await frontends.list();
    await frontends.delete('fe-2');
    await removed(client, both);
  },

  async loadbalancerfrontendrule(client) {
    const timing = { retries: 10, timeout: 10, timeout_retry: 10, cache_valid: 10, cache_invalid: 10 };
    const both = await created(
      client,
      { network: 'go-test-lb-1686162462', name: 'go-test-lb-fi-hel2-1686162463', zone: 'fi-hel2', range: '10.0.1.0/24' },
      {
        frontends: [{ name: 'fe-1', mode: 'http', port: 80, default_backend: 'be-1' }],
        backends: [{ name: 'be-1', resolver: 'ns-1', members: [] }],
        resolvers: [{ name: 'ns-1', nameservers: ['10.1.1.100'], ...timing }],
      },
    );
    const rules = client.loadBalancers.rules(both.uuid, 'fe-1');
    const from = (value: string) => ({ type: 'src_ip', match_src_ip: { value } });
    const matchers = [from('10.1.1.200'), { ...from('10.1.2.200'), inverse: true }];
    await rules.create({ name: 'rule-1', priority: 10, matchers, actions: [{ type: 'tcp_reject', action_tcp_reject: {} }] });
    await rules.modify('rule-1', { name: 'rule', priority: 20 });
    const page = { status: 404, content_type: 'text/html', payload: 'PGgxPmFwcGxlYmVlPC9oMT4K' };
    await rules.replace('rule', {
      name: 'rule-1',
      priority: 10,
      matchers: [from('10.1.1.201')],
      actions: [{ type: 'http_return', action_http_return: page }],
    });
    strictEqual((await rules.list()).length, 1);
    strictEqual((await rules.read('rule-1')).priority, 10);
    await rules.delete('rule-1');
    await removed(client, both);
  },

  async loadbalancerlabels(client) {
    const one = await created(
      client,
      { network: 'go-test-lb-1686163040', name: 'go-test-lb-fi-hel2-1686163041', zone: 'fi-hel2', range: '172.16.12.0/24' },
      { labels: [{ key: 'zone', value: 'hel2' }] },
    );
    const two = await created(
      client,
      { network: 'go-test-lb-1686163041', name: 'go-test-lb-fi-hel1-1686163042', zone: 'fi-hel1', range: '172.16.14.0/24' },
      { labels: [{ key: 'zone', value: 'hel1' }] },
    );
    strictEqual((await client.loadBalancers.list({ labels: ['zone'] })).length, 2);
    strictEqual((await client.loadBalancers.list({ labels: ['zone'], page: { limit: 1, offset: 0 } })).length, 1);
    const found = await client.loadBalancers.list({ labels: [{ key: 'zone', value: 'hel1' }] });
    deepStrictEqual(
      found.map(({ uuid }) => uuid),
      [two.uuid],
    );
    deepStrictEqual((await client.loadBalancers.modify(one.uuid, { labels: [] })).labels, []);
    await removed(client, one);
    await removed(client, two);
  },

  async loadbalancernetworks(client) {
    const recorded = {
      network: 'go-test-lb-1686162854',
      name: 'go-test-lb-networks-pl-waw1-1686162856',
      zone: 'pl-waw1',
      range: '192.168.55.0/24',
    };
    const network = await networkOf(client, recorded);
    const frontend = { mode: 'http', default_backend: 'be_network_test' } as const;
    const { uuid } = await client.loadBalancers.create({
      name: recorded.name,
      plan: 'development',
      zone: recorded.zone,
      networks: [
        { name: 'public_net', type: 'public', family: 'IPv4' },
        { name: 'private_net', type: 'private', family: 'IPv4', uuid: network.uuid },
      ],
      configured_status: 'started',
      frontends: [{ ...frontend, name: 'fe1_network_test', port: 80, networks: [{ name: 'public_net' }, { name: 'private_net' }] }],
      backends: [{ name: 'be_network_test', members: [] }],
      resolvers: [],
    });
    const networks = [{ name: 'private_net' }];
    await client.loadBalancers.frontends(uuid).create({ ...frontend, name: 'fe2_network_test', port: 443, networks });
    await client.loadBalancers.waitRunning(uuid, NO_PAUSE);
    await client.loadBalancers.renameNetwork(uuid, 'private_net', 'internal_net');
    await client.loadBalancers.renameNetwork(uuid, 'internal_net', 'private_net');
    await removed(client, { uuid, network: network.uuid });
  },

  async loadbalancerresolver(client) {
    const both = await created(client, {
      network: 'go-test-lb-1686161700',
      name: 'go-test-lb-pl-waw1-1686161701',
      zone: 'pl-waw1',
      range: '10.0.0.0/24',
    });
    const resolvers = client.loadBalancers.resolvers(both.uuid);
    const timing = { retries: 10, timeout: 20, timeout_retry: 10, cache_valid: 123, cache_invalid: 321 };
    const nameservers = ['10.0.0.1', '10.0.0.2'];
    await resolvers.create({ name: 'testname', nameservers, ...timing });
    const more = [...nameservers, '10.0.0.3'];
    await resolvers.modify('testname', { name: 'updated_testname', nameservers: more, retries: 5, timeout: 30 });
    await resolvers.modify('updated_testname', { timeout_retry: 15, cache_valid: 124, cache_invalid: 324 });
    strictEqual((await resolvers.read('updated_testname')).timeout, 30);
    strictEqual((await resolvers.list()).length, 1);
    await resolvers.delete('updated_testname');
    await removed(client, both);
  },

  async getloadbalancerplans(client) {
    deepStrictEqual(
      (await client.loadBalancers.plans()).map(({ name }) => name),
      ['development', 'production-small'],
    );
    strictEqual((await client.loadBalancers.plans({ page: { limit: 1, offset: 0 } })).length, 1);
  },

  async loadbalancerdnschallenge(client) {
    strictEqual((await client.loadBalancers.dnsChallengeDomain()).endsWith('.upcloudlb.com'), true);
  },
};
