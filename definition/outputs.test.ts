import { describe, expect, test } from 'vitest';
import { ansibleInventory } from '../core/infra/ansible-inventory.js';
import type { Inventory, InventoryServer } from '../core/infra/inventory.js';
import { createView } from '../core/infra/inventory-view.js';
import { resolveOutputs } from '../core/infra/outputs.js';
import type { Connection } from '../core/machine/provider.js';
import { load, loadFiles } from './fixtures.js';
import { problemText } from './source/problem.js';

const SHOP = `infra: shop
vars: { scheme: redis }
servers: [{ name: db }, { name: web, count: 2 }]
taskservs:
  - { name: redis, on: { server: db }, config: { port: 6400, password: { generate: password } } }
  - { name: web, on: { role: web } }
`;
const OUTPUTS = `outputs:
  cache: "{{ vars.scheme | upper }}://{{ servers.db.address }}:{{ taskservs.redis.port }}"
  port: { value: "{{ taskservs.redis.port }}", description: Of the cache }
  password: { of: redis, path: password }
  count: { value: 2 }
  set: { value: { secret: redis-password } }
  raw: !raw "{{ servers.db.address }}"
`;
const serverOf = (name: string, connection: Connection, spec: object): InventoryServer =>
  ({
    name,
    provider: 'hetzner',
    id: `id-${name}`,
    connection,
    since: 'op',
    services: { redis: {} },
    spec,
  }) as unknown as InventoryServer;

async function applied(): Promise<Inventory> {
  const { definition, problems } = await load(SHOP + OUTPUTS);
  expect(problems.map(problemText)).toEqual([]);
  const [db] = definition?.servers ?? [];
  const connection: Connection = {
    kind: 'ssh',
    address: '192.0.2.7',
    port: 22,
    user: 'root',
    privateAddress: '10.0.0.7',
    jump: 'me@192.0.2.1:22',
  };
  return {
    workspace: 'default',
    infra: 'shop',
    definition,
    networks: {},
    servers: { db: serverOf('db', connection, db ?? {}) },
  } as unknown as Inventory;
}

describe('outputs', () => {
  test('are what the inventory knows, of a secret its name alone', async () => {
    const inventory = await applied();
    expect(inventory.definition && resolveOutputs(inventory.definition, inventory)).toEqual([
      { name: 'cache', value: 'REDIS://192.0.2.7:6400' },
      { name: 'port', description: 'Of the cache', value: 6400 },
      { name: 'password', secret: 'generated/default/shop/db.redis.password' },
      { name: 'count', value: 2 },
      { name: 'set', secret: 'redis-password' },
      { name: 'raw', value: '{{ servers.db.address }}' },
    ]);
    const nothing = inventory.definition && resolveOutputs(inventory.definition, { servers: {} });
    expect(nothing?.[0]).toEqual({ name: 'cache', value: null });
  });

  test.each([
    ['"{{ servers.bd.address }}"', '"servers" has no "bd"; did you mean "db"?'],
    ['"{{ servers.db.adress }}"', '"servers.db" has no "adress"; did you mean "address"?'],
    [
      '"{{ servers.db }}"',
      '"servers.db" is not a single value; name one of: name, role, provider, plan, zone, id, address, privateAddress, taskservs',
    ],
    ['"{{ servers.db.address | upper }}"', 'filters do not work on values of the inventory; write {{ servers.db.address }}'],
    ['"{{ vars.shceme }}"', 'there is no variable "shceme"; did you mean "scheme"?'],
    ['{ of: redis, path: port }', '"port" of "redis" is not a secret; write "{{ taskservs.redis.config.port }}"'],
    ['{ secret: none }', 'the secret "none" is not set; provisioning secret set none'],
    [
      '{ value: [1] }',
      'an output must be a text, a number, or a reference to a secret or a share; write { secret: NAME }, { of: SERVER/TASKSERV, path: … } or { share: NAME, of: TASKSERV }',
    ],
  ])('%s is told', async (value, message) => {
    const { problems } = await load(`${SHOP}outputs:\n  one: ${value}\n`);
    expect(problems.map(problemText)).toEqual([expect.stringMatching(/^infra\.yaml:8:\d+: outputs\.one(\.value)?: /)]);
    expect(problems.map(problemText)[0]).toContain(`: ${message}`);
  });
});

describe('an output that is a share of a group', () => {
  const ring = (entries: string, outputs: string) =>
    load(`infra: shop
servers: [{ name: a }, { name: b }, { name: c }]
taskservs: [${entries}]
outputs:
  token: ${outputs}
`);
  const MAIN = '{ name: ring, config: { group: main } }';
  const TWO =
    '{ name: ring, on: { server: a }, config: { group: one } }, { name: ring, on: { server: b }, config: { group: two } }';
  const share = { share: 'token', taskserv: 'ring', group: 'main' };

  test('names the share and the group, and has no value', async () => {
    const { definition, problems } = await ring(MAIN, '{ value: { share: token, of: ring }, description: For others }');
    expect(problems.map(problemText)).toEqual([]);
    expect(definition?.outputs).toEqual({ token: { description: 'For others', ...share } });
    expect(definition && resolveOutputs(definition, { servers: {} })).toEqual([
      { name: 'token', description: 'For others', share: { name: 'token', taskserv: 'ring', group: 'main' } },
    ]);
    expect((await ring(MAIN, '{ share: token, of: b/ring }')).definition?.outputs).toEqual({ token: share });
    expect((await ring(TWO, '{ share: token, of: b/ring }')).definition?.outputs).toEqual({ token: { ...share, group: 'two' } });
  });

  test.each([
    [MAIN, '{ share: tokn, of: ring }', 'the group of "ring" has no share "tokn"; did you mean "token"?'],
    [MAIN, '{ share: token, of: rin }', 'unknown taskserv "rin"; did you mean "ring"?'],
    [MAIN, '{ share: token, of: d/ring }', 'there is no server "d"'],
    [TWO, '{ share: token, of: ring }', '"ring" has 2 groups: one, two; name one: a/ring'],
    ['ring', '{ share: token, of: ring }', '"ring" belongs to no group, and only members of a group make shares'],
  ])('%s with the output %s has one finding', async (entries, output, message) => {
    const { problems } = await ring(entries, output);
    expect(problems.map(problemText)).toEqual([expect.stringMatching(/^infra\.yaml:5:\d+: outputs\.token: /)]);
    expect(problems.map(problemText)[0]).toContain(message);
  });
});

describe('another infra', () => {
  const TEXT =
    'infra: app\ninterpolate: true\nservers: [{ name: web }]\ntaskservs: [{ name: web, config: { title: "{{ infra.shop.servers.db.address }}" } }]\n';

  test('is asked once, and what it said is recorded', async () => {
    const { definition: shop, servers } = await applied();
    const asked: string[] = [];
    const otherInfra = async (name: string) => {
      asked.push(name);
      return { view: createView(shop ?? { servers: [] }, { servers }) };
    };
    const { definition } = await loadFiles(
      { 'app.yaml': `${TEXT}outputs: { peer: "{{ infra.shop.taskservs.redis.port }}" }\n` },
      { otherInfra },
    );
    expect(asked).toEqual(['shop']);
    expect(definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ title: '192.0.2.7' });
    expect(definition?.resolved).toEqual({ 'infra.shop.servers.db.address': '192.0.2.7', 'infra.shop.taskservs.redis.port': 6400 });
  });

  test('is not asked where no expression names one', async () => {
    const otherInfra = async () => {
      throw new Error('no worker is queried');
    };
    const { definition } = await loadFiles(
      { 'app.yaml': TEXT.replace('infra.shop.servers.db.address', 'infra.name') },
      { otherInfra },
    );
    expect(definition?.resolved).toBeUndefined();
  });

  test('of which nothing is known, or not that, is told where it is named', async () => {
    const told = async (text: string, other: object) => {
      const { problems } = await loadFiles({ 'app.yaml': text }, { otherInfra: async () => other as never });
      return problems.map(problemText);
    };
    const at = 'app.yaml:4:43: taskservs[0].config.title: ';
    expect(await told(TEXT, { fault: 'the workspace "default" has no infra "shop"', suggestion: 'did you mean "sho"?' })).toEqual([
      `${at}the workspace "default" has no infra "shop"; did you mean "sho"?`,
    ]);
    const { definition: shop } = await applied();
    const view = createView(shop ?? { servers: [] });
    expect(await told(TEXT, { view })).toEqual([`${at}"infra.shop.servers.db.address" has no value yet; apply that infra first`]);
    expect(await told(TEXT.replace('.db.', '.bd.'), { view })).toEqual([
      `${at}"infra.shop.servers" has no "bd"; did you mean "db"?`,
    ]);
    expect(await told(TEXT.replace('.db.', '.__proto__.'), { view })).toEqual([
      expect.stringContaining('"infra.shop.servers" has no "__proto__"'),
    ]);
  });
});

test('an inventory of Ansible has hosts with how they are reached, and groups by infra, role and service', async () => {
  const inventory = await applied();
  const made = ansibleInventory([
    {
      inventory,
      outputs: [
        { name: 'cache-url', value: 'x' },
        { name: 'password', secret: 's' },
      ],
    },
  ]);
  expect(made).toEqual({
    _meta: {
      hostvars: {
        db: {
          ansible_host: '192.0.2.7',
          ansible_port: 22,
          ansible_user: 'root',
          ansible_ssh_common_args: '-o ProxyJump=me@192.0.2.1:22',
          provisioning_private_address: '10.0.0.7',
          provisioning_infra: 'shop',
          provisioning_provider: 'hetzner',
          provisioning_role: 'db',
          provisioning_plan: 's1',
        },
      },
    },
    all: { children: ['ungrouped', 'infra_shop', 'role_db', 'taskserv_redis'] },
    infra_shop: { hosts: ['db'], vars: { provisioning_output_cache_url: 'x' } },
    role_db: { hosts: ['db'] },
    taskserv_redis: { hosts: ['db'] },
  });
  expect(() =>
    ansibleInventory([
      { inventory, outputs: [] },
      { inventory: { ...inventory, infra: 'other' }, outputs: [] },
    ]),
  ).toThrow('two infras have a server "db"');
});
