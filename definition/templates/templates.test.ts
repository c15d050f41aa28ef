import { describe, expect, test } from 'vitest';
import { loadFiles } from '../fixtures.js';
import { problemText } from '../source/problem.js';

const TEMPLATE = `description: A cache
vars:
  plan: { type: string, default: small }
  port: { type: number, description: Port of the cache }
servers:
  - name: cache
    plan: "{{ vars.plan }}"
taskservs:
  - name: redis
    on: { server: cache }
    config:
      port: "{{ vars.port }}"
      users: [{ name: "of-{{ infra.name }}-on-{{ server.name }}" }]
outputs:
  cache: "{{ servers.cache.name }}:{{ vars.port }}"
`;
const around = { 'provisioning.yaml': 'name: shop\n', 'clusters/cache/cluster.yaml': TEMPLATE };
const using = (text: string, more: Record<string, string> = {}) =>
  loadFiles({ 'shop.yaml': `infra: shop\n${text}`, ...around, ...more });
const problemsOf = async (text: string, more?: Record<string, string>) => (await using(text, more)).problems.map(problemText);

describe('a template', () => {
  test('lies under the definition, which changes any part of it', async () => {
    const { definition, problems } = await using(
      'vars: { size: medium }\nuse: { cache: { port: 1234, plan: "{{ vars.size }}" } }\nservers:\n  - { name: web }\n  - { name: cache, labels: { a: b } }\ntaskservs:\n  - { name: redis, config: { policy: drop } }\n',
    );
    expect(problems).toEqual([]);
    expect(definition?.servers).toMatchObject([
      {
        name: 'cache',
        plan: { name: 's2' },
        labels: { a: 'b' },
        taskservs: [{ config: { port: 1234, policy: 'drop', users: [{ name: 'of-shop-on-cache' }] } }],
      },
      { name: 'web' },
    ]);
    expect(definition?.outputs).toEqual({ cache: { parts: [{ of: ['servers', 'cache', 'name'] }, ':', 1234] } });
  });

  test('may be used beside others, and those of the workspace come before those of this program', async () => {
    const { definition } = await using('use: { cache: { port: 1 }, web: null }\n', {
      'clusters/web/cluster.yaml': 'servers: [{ name: mine }]\n',
    });
    expect(definition?.servers.map(({ name }) => name)).toEqual(['cache', 'mine']);
  });

  test('that is not there, and parameters that are not there or missing, are told where they are said', async () => {
    expect(await problemsOf('use: cahce\n')).toEqual(['shop.yaml:2:1: use: there is no template "cahce"; did you mean "cache"?']);
    expect(await problemsOf('use: { ../../etc: {} }\n')).toEqual([
      expect.stringContaining('use.../../etc: there is no template "../../etc"'),
    ]);
    expect(await problemsOf('use: { cache: { prot: 1, port: 2 } }\n')).toEqual([
      'shop.yaml:2:17: use.cache.prot: the template has no parameter "prot"; did you mean "port"?',
    ]);
    expect(await problemsOf('use: cache\n')).toEqual([
      expect.stringMatching(
        /^shop.yaml:2:1: use: the template needs the parameter "port": Port of the cache; it is declared in .*cluster.yaml$/,
      ),
    ]);
    expect(await problemsOf('use: { cache: { port: many } }\n')).toEqual([
      'shop.yaml:2:23: use.cache.port: the variable "port" is a number, this is a text',
    ]);
  });

  test('what is wrong with what it yields is told where the parameter is given, else in the template', async () => {
    expect(await problemsOf('use: { cache: { port: 70000, plan: tiny } }\n')).toEqual([
      'shop.yaml:2:23: use.cache.port: a port is a whole number from 1 to 65535',
      'shop.yaml:2:36: use.cache.plan: the provider "local" has no plan "tiny"; known: large, medium, metal-16, small, xlarge',
    ]);
    const broken = { 'clusters/cache/cluster.yaml': TEMPLATE.replace('default: small', 'default: tiny').replace('policy', 'x') };
    expect(await problemsOf('use: { cache: { port: 1 } }\n', broken)).toEqual([
      'clusters/cache/cluster.yaml:7:11: servers[0].plan: the provider "local" has no plan "tiny"; known: large, medium, metal-16, small, xlarge',
    ]);
  });

  test('says nothing of what is for the definition to say, and includes nothing', async () => {
    const file = {
      'clusters/cache/cluster.yaml': 'infra: other\nuse: web\ninclude: [/etc/passwd]\nenv: [HOME]\nservers: [{ name: a }]\n',
    };
    expect((await problemsOf('use: cache\n', file)).map((text) => text.replace(/: a template has.*/, ''))).toEqual([
      'clusters/cache/cluster.yaml:1:1: infra',
      'clusters/cache/cluster.yaml:2:1: use',
      'clusters/cache/cluster.yaml:3:1: include',
      'clusters/cache/cluster.yaml:4:1: env',
    ]);
  });

  test('does not see the variables of the definition, nor the other way round', async () => {
    const file = { 'clusters/cache/cluster.yaml': 'servers: [{ name: "{{ vars.secret }}" }]\n' };
    expect(await problemsOf('vars: { secret: x }\nuse: cache\n', file)).toEqual([
      expect.stringContaining('clusters/cache/cluster.yaml:1:19: servers[0].name: there is no variable "secret"'),
    ]);
  });

  const SIZED = `vars:
  count: { type: number, default: 1, min: 1, max: 9 }
  plan: { type: string, default: small }
  key: { type: string, sensitive: true }
sizes:
  tiny: { count: 1 }
  wide: { count: 3, plan: medium }
servers: [{ name: web, count: "{{ vars.count }}", plan: "{{ vars.plan }}" }]
`;

  test('has sizes, whose values stand below those that the definition gives', async () => {
    const sized = { 'clusters/sized/cluster.yaml': SIZED.replace(/.*sensitive.*\n/, '') };
    const plans = async (use: string) =>
      (await using(`use: { sized: ${use} }\n`, sized)).definition?.servers.map(({ plan }) => plan.name);
    expect(await plans('{}')).toEqual(['s1']);
    expect(await plans('{ size: wide }')).toEqual(['s2', 's2', 's2']);
    expect(await plans('{ count: 2, size: wide }')).toEqual(['s2', 's2']);
    expect(await problemsOf('use: { sized: { size: wdie } }\n', sized)).toEqual([
      'shop.yaml:2:17: use.sized.size: the template has no size "wdie"; did you mean "wide"?',
    ]);
    expect(await problemsOf('use: { cache: { size: wide, port: 1 } }\n')).toEqual([
      expect.stringContaining('use.cache.size: the template has no parameter "size"'),
    ]);
    expect(await problemsOf('use: { sized: { count: 12 } }\n', sized)).toEqual([
      'shop.yaml:2:24: use.sized.count: the variable "count" is at most 9',
    ]);
  });

  test('with wrong sizes and parameters has one problem for each', async () => {
    const text = SIZED.replace('tiny: { count: 1 }', 'tiny: { cuont: 1, plan: 3, key: x }')
      .replace('count: 3', 'count: 0')
      .replace('vars:', 'vars:\n  size: 3\n  other: { tpye: string }');
    const problems = await problemsOf('use: sized\n', { 'clusters/sized/cluster.yaml': text });
    expect(problems.map((one) => one.replace(/^\S+ /, ''))).toEqual([
      'vars.size: a template with sizes has no parameter "size" of its own: it chooses one of the sizes',
      'vars.other.tpye: unknown key "tpye"; did you mean "type"?',
      'sizes.tiny.cuont: the template has no parameter "cuont"; did you mean "count"?',
      'sizes.tiny.plan: the variable "plan" is a text, this is a number',
      'sizes.tiny.key: the parameter "key" is a secret: a size has no secrets',
      'sizes.wide.count: the variable "count" is at least 1',
    ]);
    expect(await problemsOf('use: sized\n', { 'clusters/sized/cluster.yaml': 'sizes: [small]\n' })).toEqual([
      expect.stringContaining('sizes: write sizes by name'),
    ]);
  });

  test('of this program: web', async () => {
    const { problems } = await loadFiles({ 'shop.yaml': 'infra: shop\nuse: { web: { cuont: 3 } }\n' });
    expect(problems.map(problemText)).toEqual([
      'shop.yaml:2:15: use.web.cuont: the template has no parameter "cuont"; did you mean "count"?',
    ]);
  });
});
