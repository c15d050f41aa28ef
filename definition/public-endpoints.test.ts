import { describe, expect, test } from 'vitest';
import { changeDefinition } from './change-definition.js';
import { load, taskservs } from './fixtures.js';
import { problemText } from './source/problem.js';

const problems = async (text: string) =>
  (await load(text)).problems.map((problem) => problemText(problem).replace(/^.*infra\.yaml:/, ''));
const definitionOf = async (text: string) => {
  const { definition, problems: found } = await load(text);
  expect(found).toEqual([]);
  if (!definition) throw new Error('no definition');
  return definition;
};
const rulesOf = async (text: string) =>
  Object.fromEntries((await definitionOf(text)).servers.map(({ name, firewall }) => [name, firewall]));

const ALL = ['0.0.0.0/0', '::/0'];
const ping = { protocol: 'icmp', from: ALL };

describe('what is let in from outside', () => {
  test('is nothing but ICMP unless the definition says more, on every server of a provider with a firewall', async () => {
    const rules = await rulesOf(
      'infra: a\nprovider: demo\nservers:\n  - { name: a, count: 2 }\n  - { name: c, provider: local }\ntaskservs: [redis, web]\n',
    );
    expect(rules).toEqual({ 'a-1': [ping], 'a-2': [ping], c: undefined });
  });

  test('is what is declared public, on the port that it is configured for, from where it says', async () => {
    const rules = await rulesOf(`infra: a
provider: demo
servers:
  - name: a
    firewall: [{ allow: tcp, ports: 8080, from: [192.0.2.0/24] }, { allow: icmp, from: [192.0.2.0/24] }]
    taskservs:
      - { name: web, config: { port: 8080 }, public: [http] }
  - { name: b }
taskservs:
  - { name: redis, public: [{ endpoint: redis, from: [198.51.100.7/32] }] }
`);
    // Two that say something of one port are one rule: providers answer them so.
    expect(rules.a).toEqual([
      { ...ping, from: [...ALL, '192.0.2.0/24'] },
      { protocol: 'tcp', ports: '8080', from: ['192.0.2.0/24', ...ALL] },
      { protocol: 'tcp', ports: '6379', from: ['198.51.100.7/32'] },
    ]);
    expect(rules.b).toEqual([ping, { protocol: 'tcp', ports: '6379', from: ['198.51.100.7/32'] }]);
  });

  test('the nearer entry says what is public', async () => {
    const { servers } = await definitionOf(`infra: a
provider: demo
servers:
  - { name: a, taskservs: [{ name: web, public: [{ endpoint: http, from: [192.0.2.0/24] }] }] }
  - { name: b }
taskservs:
  - { name: web, public: [http] }
`);
    expect(servers.map(({ taskservs: [one] }) => one?.endpoints)).toEqual([
      [{ name: 'http', port: 80, public: ['192.0.2.0/24'] }],
      [{ name: 'http', port: 80, public: ALL }],
    ]);
  });

  test('an endpoint that there is not, one on loopback, one that is named twice', async () => {
    const text = (list: string) => `infra: a\nservers:\n  - { name: a }\ntaskservs:\n  - { name: web, public: ${list} }\n`;
    expect(await problems(text('[htp]'))).toEqual([
      '5:27: taskservs[0].public[0]: "web" has no endpoint "htp"; did you mean "http"?',
    ]);
    expect(await problems(text('[http, { endpoint: http }]'))).toEqual([
      '5:45: taskservs[0].public[1].endpoint: the endpoint "http" is named twice; join the two',
    ]);
    expect(await problems(text('[]'))).toHaveLength(1);
    expect(await problems(text('[{ endpoint: http, from: [anywhere] }]'))).toHaveLength(1);
    expect(await problems(text('[admin]').replace('web', 'panel'))).toEqual([
      '5:29: taskservs[0].public[0]: the endpoint "admin" of "panel" listens only on loopback in its configuration; change its configuration, or remove the endpoint',
    ]);
  });

  test('follows a port that is changed for a retry, and stays what it was', async () => {
    const before = await definitionOf(`infra: a
provider: demo
servers:
  - { name: a, firewall: [{ allow: tcp, ports: 443 }], taskservs: [{ name: web, public: [http] }, redis] }
`);
    const { definition } = changeDefinition(before, ['a/web.port=8080', 'a/redis.port=6390'], {
      taskservs,
      providers: {},
      secretNames: new Set<string>(),
    });
    const [server] = definition?.servers ?? [];
    expect(server?.firewall).toEqual([
      ping,
      { protocol: 'tcp', ports: '443', from: ALL },
      { protocol: 'tcp', ports: '8080', from: ALL },
    ]);
    expect(server?.taskservs.flatMap(({ endpoints }) => endpoints)).toEqual(
      expect.arrayContaining([
        { name: 'http', port: 8080, public: ALL },
        { name: 'redis', port: 6390 },
      ]),
    );
  });
});

test('a machine that exists already knows from where others use it, as far as the definition says that', async () => {
  const { servers } = await definitionOf(`infra: a
servers:
  - { name: db, host: { address: 192.0.2.5 }, taskservs: [redis, reader] }
  - { name: one, host: { address: 192.0.2.6 }, taskservs: [reader] }
  - { name: two, host: { address: two.example, privateAddress: 10.0.0.7 }, taskservs: [reader] }
  - { name: three, host: { address: three.example }, taskservs: [reader] }
  - { name: four, taskservs: [reader] }
  - { name: five, host: { address: 192.0.2.8 }, taskservs: [web] }
`);
  const endpoints = (name: string) => servers.find((server) => server.name === name)?.taskservs.flatMap((one) => one.endpoints);
  expect(endpoints('db')).toEqual([{ name: 'redis', port: 6379, usedFrom: ['192.0.2.6', '10.0.0.7'] }]);
  expect(endpoints('five')).toEqual([{ name: 'http', port: 80 }]);
});
