import { expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { modules } from '../../test/support/modules.js';
import { understand } from '../load-definition.js';
import { problemText } from '../source/problem.js';
import { readYaml } from '../source/source.js';

const HEAD = 'infra: shop\nprovider: demo\n';

const loaded = (text: string) => {
  const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
  return understand(readYaml('infra.yaml', `${HEAD}${text}`), options, modules);
};

const PAIR = `servers: [{ name: lb, count: 2 }]
taskservs:
  - { name: haproxy, on: { role: lb } }
  - name: keepalived
    on: { role: lb }
    config:
      addresses: [{ address: 10.0.0.100/24 }]
      check: { taskserv: haproxy }
`;

test('a pair knows its members, its priorities and their names, and is installed after the service behind it', () => {
  const { definition, problems, warnings } = loaded(PAIR) as Extract<ReturnType<typeof loaded>, { definition: object }>;
  expect(problems).toEqual([]);
  expect(warnings).toBeUndefined();
  const services = definition.servers.map(({ taskservs: all }) => all.find(({ name }) => name === 'keepalived'));
  expect(services.map((one) => one?.config)).toMatchObject([
    { members: ['lb-1', 'lb-2'], priority: 200 },
    { members: ['lb-1', 'lb-2'], priority: 199 },
  ]);
  expect(services[0]?.refersTo).toEqual([{ server: 'lb-2', taskserv: 'keepalived' }]);
  expect(services[0]?.after).toContain('haproxy');
});

test('a fault has its place and a suggestion, and a warning keeps nothing from being applied', () => {
  const twice = loaded(`${PAIR}      priority: 7\n`);
  expect(twice.problems.map(problemText)).toEqual([
    'infra.yaml:11:17: taskservs[1].config.priority: "lb-1" and "lb-2" both have the priority 7; give each member another priority, or none',
  ]);
  const alone = loaded(PAIR.replace(', count: 2', '').replace('check: { taskserv: haproxy }', 'group: web'));
  expect(alone.problems).toEqual([]);
  expect(alone.definition && alone.warnings?.map(problemText)).toEqual([
    'infra.yaml:10:14: taskservs[1].config.group: "lb" is the only server of the group "web": its addresses cannot move; add keepalived to a second server',
  ]);
});

test('a service that does not exist is reported once', () => {
  const { problems } = loaded(PAIR.replace('taskserv: haproxy }', 'taskserv: haproxi }'));
  expect(problems.map(({ message }) => message)).toEqual(['unknown taskserv "haproxi"']);
});
