import { describe, expect, test } from 'vitest';
import { demoDefinition } from '../test/support/definition.js';
import { modules } from '../test/support/modules.js';
import { changeDefinition, changesIn } from './change-definition.js';

const before = demoDefinition('shop', { servers: [{ name: 'db-1' }], taskservs: ['redis', 'node-exporter'] });
const around = { taskservs: modules.taskservs, providers: {}, secretNames: new Set(['redis-password']) };
const redisOf = (definition?: typeof before) => definition?.servers[0]?.taskservs.find(({ name }) => name === 'redis');

describe('a changed definition', () => {
  test('is judged and completed like a file; nothing else differs', () => {
    const { definition, problems } = changeDefinition(before, ['db-1/redis.port=6390', 'db-1/redis.maxMemory=1 GiB'], around);
    expect(problems).toEqual([]);
    expect(redisOf(definition)?.config).toMatchObject({ port: 6390, maxMemory: 2 ** 30 });
    expect(redisOf(definition)?.endpoints[0]?.port).toBe(6390);
    expect(redisOf(before)?.config).toMatchObject({ port: 6379 });
    const back = changeDefinition(definition ?? before, ['db-1/redis.port=6379', 'db-1/redis.maxMemory=64 MiB'], around);
    const same = changeDefinition(before, ['db-1/redis.maxMemory=64 MiB'], around);
    expect(back.definition).toEqual(same.definition);
  });

  test('may refer to secrets that there are, and generate them', () => {
    const given = changeDefinition(before, ['db-1/redis.password={ secret: redis-password }'], around);
    expect(redisOf(given.definition)?.config).toMatchObject({ password: { $secret: 'redis-password' } });
    const made = changeDefinition(before, ['db-1/redis.password={ generate: password }'], around);
    const name = 'generated/default/shop/db-1.redis.password';
    expect(redisOf(made.definition)?.config).toMatchObject({ password: { $secret: name } });
  });

  test('is given with others, comma-separated, where a comma may be of a value', () => {
    expect(changesIn('db-1/redis.port=1,db-2/redis.a.b=[1, 2],x/y.z={ a: b/c.d }')).toEqual([
      'db-1/redis.port=1',
      'db-2/redis.a.b=[1, 2]',
      'x/y.z={ a: b/c.d }',
    ]);
  });

  test('never reaches what all objects share', () => {
    changeDefinition(before, ['db-1/redis.__proto__.polluted=1', 'db-1/redis.a={ __proto__: { polluted: 1 } }'], around);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    ['db-1/redis.password={ secret: gone }', 'provisioning secret set gone'],
    ['db-1/redis.password={ generate: cake }', 'cannot generate this'],
    ['db-1/redis.port=[1', 'db-1/redis.port'],
    ['db-1/redis.port=70000', 'port'],
    ['db-1/redis.portt=1', 'portt'],
    ['db-2/redis.port=1', 'db-2'],
    ['db-1/nginx.port=1', 'db-1/nginx'],
    ['port=1', 'port=1'],
    ['db-1/redis.__proto__.port=1', '__proto__'],
    ['db-1/redis.constructor.prototype.x=1', 'constructor'],
    ['db-1/redis.port={ __proto__: 1 }', '__proto__'],
    ['db-1/constructor.port=1', 'db-1/constructor'],
    [`db-1/redis.port=${'['.repeat(20_000)}`, 'deep'],
    ['db-1/redis.port=9100', 'db-1'],
  ])('%s is refused', (change, path) => {
    const { definition, problems } = changeDefinition(before, [change], around);
    expect(definition).toBeUndefined();
    expect(problems[0]).toMatchObject({ file: '--set', message: expect.any(String) });
    expect(JSON.stringify(problems)).toContain(path);
  });
});
