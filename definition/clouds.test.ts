import { describe, expect, test } from 'vitest';
import { load } from './fixtures.js';
import { problemText } from './source/problem.js';

const problems = async (text: string) =>
  (await load(text)).problems.map((problem) => problemText(problem).replace(/^.*infra\.yaml:/, ''));
const servers = async (text: string) => {
  const { definition, problems: found } = await load(text);
  expect(found).toEqual([]);
  return Object.fromEntries((definition?.servers ?? []).map((server) => [server.name, server]));
};

describe('where servers are', () => {
  test('a region is the zone of the provider, the nearer word counts, and what is at one place only has none', async () => {
    const found = await servers(`infra: a
provider: demo
region: eu-central
servers:
  - { name: here }
  - { name: there, region: us-east }
  - { name: own, zone: x-9 }
  - { name: mine, provider: local }
`);
    expect(['here', 'there', 'own', 'mine'].map((name) => found[name]?.zone)).toEqual(['fsn', 'ash', 'x-9', undefined]);
  });

  test('a region where the provider is not, and one beside a zone', async () => {
    expect(await problems('infra: a\nprovider: demo\nregion: eu-west\nservers:\n  - { name: a }\n  - { name: b }\n')).toEqual([
      '3:9: region: the provider "demo" is not in the region "eu-west"; known: eu-central, us-east',
    ]);
    const two = 'infra: a\nprovider: demo\nservers:\n  - { name: a, region: us-east, zone: ash }\n';
    expect(await problems(two)).toEqual([
      '4:16: servers[0].region: a server has a region or a zone, not both; leave out one of them',
    ]);
  });
});

test("plans and images by the provider's own names", async () => {
  const found = await servers('infra: a\nprovider: demo\nservers:\n  - { name: a, plan: s16, image: img-7 }\n');
  expect(found.a).toMatchObject({ plan: { name: 's16', cores: 16 }, image: 'img-7' });
});

describe('firewalls, placement and addresses', () => {
  test('are what the server says', async () => {
    const found = await servers(`infra: a
provider: demo
servers:
  - name: a
    placement: apart
    address: reserved
    firewall:
      - { allow: tcp, ports: 80 }
      - { allow: udp, ports: 6000-6100, from: [192.0.2.0/24, '2001:db8::/32'] }
      - { allow: icmp }
`);
    expect(found.a).toMatchObject({
      placement: 'apart',
      address: 'reserved',
      firewall: [
        { protocol: 'icmp', from: ['0.0.0.0/0', '::/0'] },
        { protocol: 'tcp', ports: '80', from: ['0.0.0.0/0', '::/0'] },
        { protocol: 'udp', ports: '6000-6100', from: ['192.0.2.0/24', '2001:db8::/32'] },
      ],
    });
    expect(found.a).not.toHaveProperty('networkRange');
  });

  test('that cannot be', async () => {
    expect(
      await problems(`infra: a
provider: demo
servers:
  - name: a
    firewall:
      - { allow: tcp }
      - { allow: icmp, ports: 8 }
      - { allow: tcp, ports: 9-8 }
      - { allow: tcp, ports: 70000 }
      - { allow: tpc, ports: 80 }
      - { allow: tcp, ports: 80, from: [anywhere] }
    address: mine
`),
    ).toEqual([
      '8:30: servers[0].firewall[2].ports: ports are from 1 to 65535, the lower one first',
      '9:30: servers[0].firewall[3].ports: expected at most 65535',
      '10:18: servers[0].firewall[4].allow: expected one of "tcp", "udp", "icmp", got "tpc"; did you mean "tcp"?',
      '11:41: servers[0].firewall[5].from[0]: write a range such as 192.0.2.0/24 or 2001:db8::/32',
      '12:14: servers[0].address: expected "reserved", got "mine"; known: reserved',
    ]);
    const without = 'infra: a\nprovider: demo\nservers:\n  - name: a\n    firewall: [{ allow: tcp }, { allow: icmp, ports: 8 }]\n';
    expect(await problems(without)).toEqual([
      '5:16: servers[0].firewall[0]: a rule for tcp says which ports; write ports: 1-65535 for all',
      '5:47: servers[0].firewall[1].ports: icmp has no ports; leave them out',
    ]);
  });

  test('that the provider does not have, and a machine that exists already', async () => {
    expect(
      await problems(`infra: a
servers:
  - { name: a, firewall: [], placement: apart }
  - { name: b, address: reserved, host: this }
networks: [{ name: a, range: 10.1.0.0/16 }]
`),
    ).toEqual([
      '3:16: servers[0].firewall: the provider "local" keeps no firewall; leave it out; the taskserv "firewall" keeps one on the host itself',
      '3:30: servers[0].placement: the provider "local" does not keep servers apart; leave it out for servers of this provider',
      '4:16: servers[1].address: this is only available for machines that a provider creates; leave it out',
      '5:23: networks[0].range: the provider "local" chooses the ranges of its networks itself; leave it out',
    ]);
  });
});

describe('networks', () => {
  test('have what is said of them, and each provider has a default one of its own', async () => {
    const found = await servers(`infra: shop
provider: demo/prod
networks:
  - { name: shop, range: 10.20.0.0/24 }
  - { name: theirs, existing: net-7 }
servers:
  - { name: a }
  - { name: b, network: theirs }
  - { name: c, provider: demo }
  - { name: d, provider: local }
`);
    expect(
      Object.values(found).map(({ network, networkRange, existingNetwork }) => [network, networkRange, existingNetwork]),
    ).toEqual([
      ['shop', '10.20.0.0/24', undefined],
      ['theirs', undefined, 'net-7'],
      ['shop-demo', undefined, undefined],
      ['shop-local', undefined, undefined],
    ]);
  });

  test('that cannot be', async () => {
    expect(
      await problems(`infra: shop
provider: demo
networks:
  - { name: shop, range: 10.20.0.0/16 }
  - { name: back, range: 10.20.7.0/24 }
  - { name: bck, range: 10.30.0.7/24 }
  - { name: shop, existing: x, range: 10.40.0.0/24 }
  - { name: bakc }
servers:
  - { name: a }
  - { name: b, network: back }
  - { name: c, network: back, provider: local }
`),
    ).toEqual([
      '5:26: networks[1].range: 10.20.7.0/24 overlaps 10.20.0.0/16 of the network "shop"; choose another range',
      '6:13: networks[2].name: no server is in the network "bck"; did you mean "back"?',
      '6:25: networks[2].range: write an IPv4 range by its first address, such as 10.20.0.0/24',
      '7:13: networks[3].name: two networks are named "shop"',
      '7:32: networks[3].range: an existing network already has its range; leave it out',
      '8:13: networks[4].name: no server is in the network "bakc"; did you mean "back"?',
      '12:25: servers[2].network: the network "back" belongs to "demo", like the server "b", and cannot be at "local" as well; use another network for servers of this provider, or omit it to use the default network',
    ]);
  });
});
