import { describe, expect, test } from 'vitest';
import { peersFor, peersOf } from '../../core/definition/peers.js';
import { load } from '../fixtures.js';
import { problemText } from '../source/problem.js';

const HEAD = 'infra: shop\ninterpolate: true\n';
const TWO = `${HEAD}servers: [{ name: db }, { name: web }]\n`;
const problemsOf = async (text: string) => (await load(text)).problems.map(problemText);
const serviceOf = async (text: string, server: string, taskserv: string) => {
  const { definition, problems } = await load(text);
  expect(problems.map(problemText)).toEqual([]);
  return definition?.servers.find(({ name }) => name === server)?.taskservs.find(({ name }) => name === taskserv);
};

describe('values of other services', () => {
  test('are reached on their own server where they listen', async () => {
    const ask = (host: string) =>
      serviceOf(
        `${HEAD}servers: [{ name: db${host} }]\ntaskservs:\n  - { name: redis, on: { server: db } }\n  - { name: web, on: { server: db }, config: { title: "{{ taskservs.redis.address }} {{ servers.db.address }}" } }\n`,
        'db',
        'web',
      );
    const web = await ask('');
    expect(web?.config).toMatchObject({ title: 'db db' });
    // By that its host gets its own name.
    expect(web?.refersTo).toContainEqual({ server: 'db' });
    const withPrivate = await ask(', host: { address: 192.0.2.7, privateAddress: 10.0.0.7 }');
    expect(withPrivate?.config).toMatchObject({ title: '10.0.0.7 10.0.0.7' });
    const withPublic = await ask(', host: { address: 192.0.2.7 }');
    expect(withPublic?.config).toMatchObject({ title: '127.0.0.1 127.0.0.1' });
  });

  test('are their address, their port and their configuration, defaults included', async () => {
    const web = await serviceOf(
      `${TWO}taskservs:
  - { name: web, on: { server: web }, config: { title: "redis://{{ servers.db.address }}:{{ taskservs.redis.port }}/{{ taskservs.redis.config.policy | upper }}" } }
  - { name: redis, on: { server: db } }
`,
      'web',
      'web',
    );
    expect(web?.config).toMatchObject({ title: 'redis://db:6379/KEEP' });
    expect(web?.refersTo).toEqual([{ server: 'db' }, { server: 'db', taskserv: 'redis' }]);
  });

  test('keep their types, and may come from one that asks for others itself', async () => {
    const text = `${HEAD}servers: [{ name: db }, { name: web }, { name: hub }]\ntaskservs:
  - { name: web, on: { server: web }, config: { port: "{{ servers.db.taskservs.redis.endpoints.redis.port }}" } }
  - { name: redis, on: { server: db }, config: { port: "{{ taskservs.panel.endpoints.admin.port }}" } }
  - { name: panel, on: { server: hub } }
`;
    expect((await serviceOf(text, 'web', 'web'))?.config).toMatchObject({ port: 9000 });
  });

  test('bring their service before the one that asks, on all servers that have it', async () => {
    const { definition } = await load(`${HEAD}servers: [{ name: hub }, { name: web }]
taskservs:
  - base
  - { name: web, on: { server: web }, config: { extra: { a: "at {{ servers.hub.taskservs.panel.endpoints.admin.port }}" } } }
  - { name: web, on: { server: hub } }
  - { name: panel, on: { server: hub } }
`);
    const hub = definition?.servers[0]?.taskservs.map(({ name, after }) => [name, after]);
    expect(hub).toEqual([
      ['base', []],
      ['panel', []],
      ['web', ['redis', 'panel']],
    ]);
  });

  test('of a machine that exists already are reached as the definition says', async () => {
    const text = (host: string) =>
      `${HEAD}servers: [{ name: db, host: ${host} }, { name: web }]\ntaskservs:\n  - { name: web, on: { server: web }, config: { title: "{{ servers.db.address }}" } }\n`;
    expect((await serviceOf(text('{ address: 192.0.2.7, privateAddress: 10.0.0.7 }'), 'web', 'web'))?.config).toMatchObject({
      title: '10.0.0.7',
    });
    expect((await serviceOf(text('{ address: db.example.org }'), 'web', 'web'))?.config).toMatchObject({ title: 'db.example.org' });
    expect((await serviceOf(text('this'), 'web', 'web'))?.config).toMatchObject({ title: 'db' });
  });

  test('their servers are among those whose names a host is told', async () => {
    const { definition } = await load(
      `${TWO}taskservs:\n  - { name: reader, on: { server: web } }\n  - { name: web, on: { server: web }, config: { title: "{{ servers.db.address }}" } }\n  - { name: base, on: { server: db } }\n`,
    );
    const peers = definition ? peersOf(definition) : [];
    const specs = definition?.servers[1]?.taskservs.map((spec) => ({ ...spec, uses: [] })) ?? [];
    expect(peersFor(peers, ['web'], specs).map(({ server }) => server)).toEqual(['db', 'web', 'web']);
    const silent = specs.map(({ refersTo: _, ...spec }) => spec);
    expect(peersFor(peers, ['web'], silent).map(({ server }) => server)).toEqual(['web', 'web']);
  });
});

describe('the secret of another service', () => {
  test('is the same secret, generated or set, found by the names of entries', async () => {
    const text = `infra: shop
servers: [{ name: db }, { name: app }]
taskservs:
  - name: redis
    on: { server: db }
    config: { password: { secret: redis-password }, users: [{ name: app, password: { generate: password } }] }
  - name: redis
    on: { server: app }
    config: { port: 1, password: { of: db/redis, path: users.app.password }, users: [{ name: x, password: { of: db/redis, path: password } }] }
`;
    const app = await serviceOf(text, 'app', 'redis');
    expect(app?.config).toMatchObject({
      password: { $secret: 'generated/default/shop/db.redis.users.app.password' },
      users: [{ password: { $secret: 'redis-password' } }],
    });
    expect(app?.refersTo).toEqual([{ server: 'db', taskserv: 'redis' }]);
    expect(app?.after).toEqual([]);
  });

  test('that is not there is told with the nearest name, once', async () => {
    const text = (of: string, path: string) =>
      `infra: shop\nservers: [{ name: db }, { name: app }]\ntaskservs:\n  - { name: redis, on: { server: db }, config: { users: [{ name: app, password: { generate: password } }] } }\n  - { name: redis, on: { server: app }, config: { password: { of: ${of}, path: ${path} } } }\n`;
    const at = 'infra.yaml:5:61: taskservs[1].config.password: ';
    expect(await problemsOf(text('db/redis', 'users.ap.password'))).toEqual([
      `${at}the configuration of "redis" has no "users.ap.password": there is no "ap"; did you mean "app"?`,
    ]);
    expect(await problemsOf(text('db/redis', 'port'))).toEqual([
      `${at}"port" of "redis" is not a secret; write "{{ taskservs.redis.config.port }}"`,
    ]);
    expect(await problemsOf(text('bd/redis', 'password'))).toEqual([`${at}there is no server "bd"; did you mean "db"?`]);
    expect(await problemsOf(text('db/web', 'password'))).toEqual([`${at}no server has the taskserv "web"; known: redis`]);
    expect(await problemsOf(text('redsi', 'password'))).toEqual([`${at}unknown taskserv "redsi"; did you mean "redis"?`]);
    expect(await problemsOf(text('redis', 'users.app.password'))).toEqual([
      `${at}services depend on each other: app/redis → app/redis; write one of the values`,
    ]);
    expect(await problemsOf(text('db/redis', '__proto__.x'))).toEqual([expect.stringContaining('there is no "__proto__"')]);
  });
});

describe('what is wrong with a reference', () => {
  const one = (text: string) => `${TWO}taskservs: [{ name: web, on: { server: web }, config: { title: "${text}" } }, redis]\n`;

  test('is told once, with the nearest name', async () => {
    const told = async (text: string) =>
      (await problemsOf(one(text))).join('|').replace(/^infra.yaml:\d+:\d+: taskservs\[0\].config.title: /, '');
    expect(await told('{{ servers.dv.address }}')).toBe('there is no server "dv"; did you mean "db"?');
    expect(await told('{{ servers.db.adress }}')).toBe('there is no "servers.db.adress"; did you mean "address"?');
    expect(await told('{{ servers.db }}')).toBe('"servers.db" is not a single value; write servers.db.address');
    expect(await told('{{ taskservs.redsi.port }}')).toBe('unknown taskserv "redsi"; did you mean "redis"?');
    expect(await told('{{ taskservs.redis.address }}')).toBe(
      '2 servers have the taskserv "redis"; name one of them: servers.db.address',
    );
    expect(await told('{{ taskservs.redis.config.polcy }}')).toBe(
      '"taskservs.redis.config" has no "polcy"; did you mean "policy"?',
    );
  });

  test('services that need each other are told with their path', async () => {
    const text = `${TWO}taskservs:
  - { name: web, on: { server: web }, config: { port: "{{ taskservs.redis.port }}" } }
  - { name: redis, on: { server: db }, config: { port: "{{ taskservs.web.port }}" } }
`;
    expect(await problemsOf(text)).toEqual([
      'infra.yaml:5:55: taskservs[0].config.port: services depend on each other: db/redis → web/web → db/redis; write one of the values',
    ]);
  });

  test('an order that cannot be is told with its path', async () => {
    const text = `${TWO}taskservs:
  - { name: redis, on: { server: db }, config: { port: "{{ taskservs.web.port }}" } }
  - { name: web, on: { server: web } }
`;
    expect(await problemsOf(text)).toEqual([
      'infra.yaml:5:5: taskservs[0]: dependency cycle: redis → web → redis; a taskserv cannot wait for itself',
    ]);
  });

  test('a secret is no part of a text', async () => {
    const text = `${TWO}taskservs:
  - { name: redis, on: { server: db }, config: { password: { generate: password } } }
  - { name: web, on: { server: web }, config: { title: "{{ taskservs.redis.config.password }}", extra: { b: "{{ taskservs.redis.config }}" } } }
`;
    expect(await problemsOf(text)).toEqual([
      expect.stringContaining(
        '"password" of "redis" is a secret: it cannot be part of a text; write { of: redis, path: password }',
      ),
      expect.stringContaining('is a secret'),
    ]);
  });

  test('elsewhere than in a configuration nothing of it is known', async () => {
    expect(await problemsOf(`${HEAD}servers: [{ name: db, plan: "{{ servers.db.name }}" }]\n`)).toEqual([
      'infra.yaml:3:29: servers[0].plan: "servers" is only available in the configuration of taskservs and in outputs; text that is to stay as it is: !raw before it, or { raw: … }',
    ]);
  });
});
