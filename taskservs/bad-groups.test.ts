import { describe, expect, test } from 'vitest';
import { understand } from '../definition/load-definition.js';
import { problemText } from '../definition/source/problem.js';
import { readJson } from '../definition/source/source.js';
import { providers } from '../providers/registry.generated.js';
import { type GroupService, makeCertificates } from '../test/catalog/groups/group-service.js';
import { GROUP_SERVICES } from '../test/catalog/groups/index.js';
import { modules } from '../test/support/modules.js';
import { taskservs } from './registry.generated.js';

const etcd: Pick<GroupService, 'name' | 'config'> = {
  name: 'etcd',
  config: { cluster: 'main', tls: makeCertificates('etcd', ['a']), peerTls: makeCertificates('etcd-peers', ['a']) },
};

/** Its proof as a group is a test of its own: three hosts of it take longer than the rows. */
const kubernetes: Pick<GroupService, 'name' | 'config'> = { name: 'kubernetes', config: { cluster: 'main' } };

/** Each service whose members decide by majority, with its configuration as one of a group `main`. */
const SERVICES = [etcd, kubernetes, ...GROUP_SERVICES].map(({ name, config: { artifact: _, ...config } }) => ({ name, config }));

interface Entry {
  name: string;
  config: Record<string, unknown>;
}

/** What is found in a definition with these servers, all of which have the services. */
function judge(servers: readonly object[], services: readonly Entry[]) {
  // Debian 13 has all of them, also valkey.
  const images = servers.map((server) => ({ image: 'host' in server ? undefined : 'debian-13', ...server }));
  const file = { infra: 'shop', provider: 'local', servers: images, taskservs: services };
  const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set(SECRETS) };
  const { definition, problems, ...found } = understand(readJson('shop.json', JSON.stringify(file)), options, modules);
  const warnings = 'warnings' in found ? (found.warnings ?? []) : [];
  return { definition, problems: problems.map(problemText), warnings: warnings.map(problemText) };
}

const SECRETS = GROUP_SERVICES.flatMap(({ secrets = {} }) => Object.keys(secrets));
const named = (names: string) => [...names].map((name) => ({ name }));
const groupIn = (service: string) => `the ${service} group "main"`;

test('each service whose members decide by majority is tried', () => {
  const deciding = Object.values(modules.taskservs).flatMap(({ name, group }) => (group?.quorum === 'majority' ? [name] : []));
  expect(SERVICES.map(({ name }) => name).sort()).toEqual(deciding.sort());
});

describe.each(SERVICES)('a group of $name', (service) => {
  test('has not two members', () => {
    const { definition, problems } = judge(named('ab'), [service]);
    expect([definition, problems]).toEqual([undefined, [expect.stringContaining(`${groupIn(service.name)} has two members`)]]);
  });

  test('is warned about with an even number, and not with an odd one', () => {
    const [three, four] = [judge(named('abc'), [service]), judge(named('abcd'), [service])];
    const sayEven = (text: string) => /members, and survives the loss of/.test(text);
    expect([three.problems, three.warnings.filter(sayEven)]).toEqual([[], []]);
    expect(four.problems).toEqual([]);
    expect(four.warnings.filter(sayEven)).toEqual([
      expect.stringContaining(`${groupIn(service.name)} has 4 members, and survives the loss of 1, as 3 members do`),
    ]);
  });

  test('is warned about with two members that one fault takes away', () => {
    const at = (name: string, address: string, port: number) => ({ name, host: { address, port } });
    const { warnings } = judge([at('a', '10.0.0.1', 22), at('b', '10.0.0.2', 22), at('c', '10.0.0.1', 2222)], [service]);
    expect(warnings).toContainEqual(expect.stringContaining(`"c" and "a" are both at 10.0.0.1, and ${groupIn(service.name)}`));
  });

  test('shares no member with another one', () => {
    const entries = [service, { ...service, config: { ...service.config, cluster: 'other' } }];
    const { problems } = judge(named('abc'), entries);
    for (const server of ['a', 'b', 'c'])
      expect(problems).toContainEqual(expect.stringContaining(`"${service.name}" is given twice for the server "${server}"`));
  });
});

test('two services with groups of one name have two groups', () => {
  const services = SERVICES.filter(({ name }) => ['etcd', 'nats'].includes(name));
  const { definition, problems } = judge(named('abc'), services);
  expect(problems).toEqual([]);
  const [first] = definition?.servers ?? [];
  const seen = first?.taskservs.flatMap(({ name, group, refersTo }) => (group === undefined ? [] : [[name, group, refersTo]]));
  const others = (taskserv: string) => ['b', 'c'].map((server) => ({ server, taskserv }));
  expect(seen?.sort()).toEqual([
    ['etcd', 'main', others('etcd')],
    ['nats', 'main', others('nats')],
  ]);
});
