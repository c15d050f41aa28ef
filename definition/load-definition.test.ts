import { describe, expect, test } from 'vitest';
import { load } from './fixtures.js';

describe('what a file says', () => {
  test('counts, sizes, defaults and requirements', async () => {
    const { definition, problems } = await load(
      'infra: demo\nprotect: true\nservers:\n  - name: web\n    count: 2\n    plan: metal-16\n    volumes: [{ name: data, size: 1 TiB, mount: /srv }]\n  - { name: db, role: data, protect: false }\ntaskservs:\n  - { name: proxy, on: { role: web } }\n',
    );
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({ workspace: 'default', infra: 'demo', onFailure: 'rollback', protect: true });
    expect(
      definition?.servers.map(({ name, group, role, network, protect, plan }) => [name, group, role, network, protect, plan.name]),
    ).toEqual([
      ['web-1', 'web', 'web', 'demo', true, 'metal-16'],
      ['web-2', 'web', 'web', 'demo', true, 'metal-16'],
      ['db', 'db', 'data', 'demo', false, 's1'],
    ]);
    expect(definition?.servers[0]?.volumes).toEqual([{ name: 'data', sizeGiB: 1024, mount: '/srv' }]);
    expect(definition?.servers[0]?.taskservs).toMatchObject([
      { name: 'base', requiredBy: 'proxy', version: '2' },
      { name: 'proxy', after: ['base'] },
    ]);
    expect(definition?.servers[2]?.taskservs).toEqual([]);
  });

  test('the closer an entry names a server, the more it counts; configuration is joined', async () => {
    const { definition } = await load(
      'infra: demo\nservers:\n  - name: a\n    taskservs: [{ name: web, config: { extra: { c: server } } }]\n  - name: b\n  - { name: c, role: other }\ntaskservs:\n  - { name: web, version: 1.20, config: { title: all, port: 81, extra: { a: all, b: all, c: all } } }\n  - { name: web, on: [{ role: a }, { role: b }], config: { port: 82, extra: { b: role, c: role } } }\n',
    );
    const configs = definition?.servers.map(({ taskservs: [web] }) => [web?.version, web?.config]);
    expect(configs).toEqual([
      ['1.20', { title: 'all', port: 82, extra: { a: 'all', b: 'role', c: 'server' } }],
      ['1.20', { title: 'all', port: 82, extra: { a: 'all', b: 'role', c: 'role' } }],
      ['1.20', { title: 'all', port: 81, extra: { a: 'all', b: 'all', c: 'all' } }],
    ]);
  });

  test('soft dependencies order what is there', async () => {
    const { definition } = await load('infra: demo\nservers:\n  - { name: a, taskservs: [web, redis] }\n');
    expect(definition?.servers[0]?.taskservs.map(({ name }) => name)).toEqual(['redis', 'web']);
  });

  test('secrets become references, named for what they are for', async () => {
    const redis = (place: string) =>
      `${place}{ name: redis, config: { password: { secret: redis-password }, users: [{ name: ann, password: { generate: password } }] } }`;
    const named = async (text: string) => {
      const { definition } = await load(text);
      const config = definition?.servers[0]?.taskservs[0]?.config as {
        password: unknown;
        users: { password: { $secret: string } }[];
      };
      expect(config.password).toEqual({ $secret: 'redis-password' });
      return config.users[0]?.password.$secret;
    };
    const servers = 'infra: demo\nservers:\n  - { name: a, count: 2 }\ntaskservs:\n  - ';
    expect(await named(redis(servers))).toBe('generated/default/demo/redis.users.ann.password');
    expect(await named(redis(servers).replace('name: redis,', 'name: redis, on: { role: a },'))).toBe(
      'generated/default/demo/role-a.redis.users.ann.password',
    );
    expect(await named(redis('infra: demo\nservers:\n  - name: a\n    taskservs:\n      - '))).toBe(
      'generated/default/demo/a.redis.users.ann.password',
    );
  });

  test('aliases and JSON are read', async () => {
    const { definition } = await load('infra: demo\nservers:\n  - { name: a, labels: &l { x: y } }\n  - { name: b, labels: *l }\n');
    expect(definition?.servers[1]?.labels).toEqual({ x: 'y' });
    const json = await load('{"infra": "demo", "servers": [{"name": "a", "host": {"address": "h"}}]}', 'x.json');
    expect(json.definition?.servers[0]?.host).toEqual({ kind: 'ssh', address: 'h', port: 22, user: 'root' });
  });
});

test('a version that a constraint chose is told with it, one that is named or left out is not', async () => {
  const { definition } = await load(
    "infra: demo\nservers:\n  - name: a\n    taskservs: [{ name: web, version: ~1.20 }, { name: redis, version: '1.20' }, panel]\n",
  );
  expect(definition?.servers[0]?.taskservs.map(({ name, version, constraint }) => [name, version, constraint]).sort()).toEqual([
    ['panel', '2', undefined],
    ['redis', '1.20', undefined],
    ['web', '1.20', '~1.20'],
  ]);
});
