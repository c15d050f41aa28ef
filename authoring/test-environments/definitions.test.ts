import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Context } from '../context.js';
import type { DefinitionError } from '../definition/definition-error.js';
import { GivenHere } from '../given/fixtures.js';
import { clusterDefinition } from './cluster-definition.js';
import { environmentName } from './environment-name.js';
import { serverDefinition } from './server-definition.js';
import { singleDefinition } from './single-definition.js';
import { testContext } from './test-context.js';
import { chooseHostPlan } from './test-definition.js';
import { topologiesFor, topologyIn, topologyNamed } from './topology.js';

const here = new GivenHere();
const context = (): Context => testContext({ ...here.context('shop'), folder: here.root });
const problemsOf = (work: Promise<unknown>) =>
  work.then(
    () => [],
    (error: DefinitionError) =>
      error.problems.map(({ file, line, path, message, suggestion }) => ({ file, line, path, message, suggestion })),
  );

describe('of one taskserv', () => {
  test('its own example is its configuration, in the workspace of test environments', async () => {
    const { definition } = await singleDefinition(context(), { infra: 'pg-1', taskserv: 'postgres' });
    const [server] = definition.servers;
    expect([definition.workspace, definition.infra, server?.provider, server?.protect]).toEqual([
      'test-environments-of-shop',
      'pg-1',
      'local',
      false,
    ]);
    expect(server?.taskservs[0]).toMatchObject({
      name: 'postgres',
      config: {
        databases: [{ name: 'app', owner: 'app' }],
        users: [
          { name: 'app', password: { $secret: 'generated/test-environments-of-shop/pg-1/main.postgres.users.app.password' } },
        ],
      },
    });
  });

  test('values of the command line are over those of a file, which is in place of the example', async () => {
    const configFile = join(here.root, 'pg.yaml');
    await writeFile(configFile, 'port: 5433\nsettings: { work_mem: 4MB }\n');
    const config = ['settings.work_mem=32MB', 'databases=[{ name: shop }]'];
    const { definition } = await singleDefinition(context(), {
      infra: 'pg',
      taskserv: 'postgres',
      config,
      configFile,
      plan: '2cpu-768mb',
    });
    expect(definition.servers[0]).toMatchObject({
      plan: { name: '2cpu-768mb', cores: 2, memoryMiB: 768 },
      taskservs: [{ config: { port: 5433, users: [], settings: { work_mem: '32MB' }, databases: [{ name: 'shop' }] } }],
    });
  });

  test('what is wrong is told where it was said', async () => {
    const configFile = join(here.root, 'pg.yaml');
    await writeFile(configFile, 'port: 5433\nsetings: {}\n');
    const wish = { infra: 'pg', taskserv: 'postgres', configFile };
    expect(await problemsOf(singleDefinition(context(), wish))).toEqual([
      expect.objectContaining({ file: configFile, line: 2, path: 'setings', suggestion: expect.stringContaining('settings') }),
    ]);
    const unknown = singleDefinition(context(), { infra: 'pg', taskserv: 'postgers' });
    await expect(unknown).rejects.toMatchObject({ details: { code: 'unknown-taskserv', hint: 'did you mean "postgres"?' } });
    const version = singleDefinition(context(), { infra: 'pg', taskserv: 'postgres', version: '1.2.3' });
    expect(await problemsOf(version)).toEqual([expect.objectContaining({ path: 'version' })]);
    const setting = singleDefinition(context(), { infra: 'pg', taskserv: 'postgres', config: ['port'] });
    await expect(setting).rejects.toMatchObject({ details: { code: 'bad-arguments' } });
  });
});

describe('of a server of a definition', () => {
  const file = async (more = '') => {
    const path = join(here.root, 'shop.yaml');
    const db = '- { name: db, plan: cx33, taskservs: [{ name: redis, config: { password: { secret: of-production } } }, time] }';
    await writeFile(
      path,
      `infra: shop\nprovider: hetzner\nprotect: true\nservers:\n  - { name: web, count: 2, taskservs: [nginx] }\n  ${db}\n${more}`,
    );
    return path;
  };

  test('it is on this machine, as large as it is there, and gets no secret of the workspace', async () => {
    const { definition, notes } = await serverDefinition(context(), { infra: 'db-1', file: await file(), server: 'db' }, {});
    expect(definition.servers).toMatchObject([
      { name: 'db', provider: 'local', plan: { name: '4cpu-8192mb' }, image: 'debian-12', network: 'db-1', protect: false },
    ]);
    expect(definition.servers[0]).not.toHaveProperty('firewall');
    expect(JSON.stringify(definition)).toContain('generated/test-environments-of-shop/db-1/stand-in.of-production');
    expect(JSON.stringify(definition)).not.toContain('"of-production"');
    expect(notes.join()).toContain('stand in for "of-production"');
  });

  test('some of its taskservs, or none that it has not', async () => {
    const path = await file();
    const { definition } = await serverDefinition(context(), { infra: 'x', file: path, server: 'db', taskservs: ['time'] }, {});
    expect(definition.servers[0]?.taskservs.map(({ name }) => name)).toEqual(['time']);
    for (const [wish, code, hint] of [
      [{ server: 'web' }, 'unknown-server', 'did you mean "web-1"?'],
      [{ server: 'db', taskservs: ['rediss'] }, 'unknown-taskserv', 'did you mean "redis"?'],
    ] as const)
      await expect(serverDefinition(context(), { infra: 'x', file: path, ...wish }, {})).rejects.toMatchObject({
        details: { code, hint },
      });
  });
});

describe('topologies', () => {
  test('those of the program are there, and load, unless they say why not', async () => {
    const all = await topologiesFor({ folder: undefined });
    expect(all.map(({ name, unavailable }) => [name, unavailable === undefined])).toEqual([
      ['containerd_test', true],
      ['etcd_cluster', true],
      ['kubernetes_3node', false],
      ['kubernetes_single', false],
      ['postgres_redis', true],
    ]);
    for (const topology of all) {
      const made = clusterDefinition(context(), { infra: 'x', topology });
      if (topology.unavailable === undefined) expect((await made).type).toBe('cluster');
      else await expect(made).rejects.toMatchObject({ details: { code: 'topology-unavailable', why: topology.unavailable } });
    }
  });

  test('one of the workspace is over one of the program, and a name is suggested', async () => {
    await mkdir(join(here.root, 'topologies'));
    await writeFile(join(here.root, 'topologies/etcd_cluster.toml'), 'description = "ours"\n[[servers]]\nname = "one"\n');
    expect(await topologyNamed({ folder: here.root }, 'etcd_cluster')).toMatchObject({ description: 'ours', builtIn: false });
    const near = topologyNamed({ folder: here.root }, 'postgres-redis');
    await expect(near).rejects.toMatchObject({ details: { code: 'unknown-topology', hint: 'did you mean "postgres_redis"?' } });
  });

  test('what is wrong is told with its line and what helps', async () => {
    const text = [
      'description: ours',
      'servers:',
      '  - { name: db, provider: hetzner }',
      '  - { name: web, host: this }',
      'taskserv: []',
      'scripts: [{ name: a }]',
    ].join('\n');
    const problems = await problemsOf((async () => topologyIn('ours', text))());
    expect(problems.map(({ line, path }) => [line, path])).toEqual([
      [3, 'servers[0].provider'],
      [4, 'servers[1].host'],
      [5, 'taskserv'],
      [6, expect.stringContaining('scripts[0]')],
    ]);
    expect(problems[2]?.suggestion).toContain('taskservs');
    const ours = topologyIn(
      'ours',
      'description: ours\nservers: [{ name: db }]\ntaskservs: [{ name: redis, on: { server: dd } }]\n',
    );
    expect(await problemsOf(clusterDefinition(context(), { infra: 'x', topology: ours }))).toEqual([
      expect.objectContaining({ file: 'standard input', line: 3 }),
    ]);
    const elsewhere = topologyIn(
      'ours',
      'description: a\nservers: [{ name: db }]\nscripts: [{ name: a, on: [dc], run: "true" }]\n',
    );
    expect(await problemsOf(clusterDefinition(context(), { infra: 'x', topology: elsewhere }))).toEqual([
      expect.objectContaining({ line: 3, path: 'scripts[0].on[0]', suggestion: 'did you mean "db"?' }),
    ]);
  });

  test('versions and limits are over what it says', async () => {
    const topology = await topologyNamed({ folder: undefined }, 'etcd_cluster');
    const wish = { infra: 'x', topology, versions: new Map([['etcd', '3.4']]), plan: '1cpu-512mb' };
    const { definition, scripts } = await clusterDefinition(context(), wish);
    expect(definition.servers.map(({ name, plan }) => [name, plan.memoryMiB])).toEqual([1, 2, 3].map((n) => [`etcd-${n}`, 512]));
    expect(scripts.length).toBe(2);
    const other = clusterDefinition(context(), { ...wish, versions: new Map([['etcd', '9']]) });
    expect((await problemsOf(other))[0]?.message).toContain('9');
  });
});

test('limits are a plan, or an error', () => {
  expect([
    chooseHostPlan({}),
    chooseHostPlan({ memory: '768MiB' }),
    chooseHostPlan({ cpus: 3 }),
    chooseHostPlan({ memory: '1.5 GiB', cpus: 2 }),
  ]).toEqual([undefined, '1cpu-768mb', '3cpu-2048mb', '2cpu-1536mb']);
  for (const memory of ['much', '1MiB', '90 TiB']) expect(() => chooseHostPlan({ memory })).toThrow('cannot limit the hosts');
});

test('names fit an infra, whatever they are of', () => {
  for (const about of ['postgres', 'etcd_cluster', '3node', 'x'.repeat(80), '---'])
    expect(environmentName(about)).toMatch(/^[a-z][a-z0-9-]{0,39}$/);
});
