import { describe, expect, test } from 'vitest';
import { taskservs } from '../taskservs/registry.generated.js';
import { demoDefinition } from '../test/support/definition.js';
import { changeDefinition } from './change-definition.js';

const before = demoDefinition('shop', { servers: [{ name: 'db-1' }], taskservs: ['redis', 'node-exporter'] });
const redisOf = (definition?: typeof before) => definition?.servers[0]?.taskservs.find(({ name }) => name === 'redis');

describe('a changed definition', () => {
  test('is judged and completed like a file; nothing else differs', () => {
    const { definition, problems } = changeDefinition(before, ['db-1/redis.port=6390', 'db-1/redis.maxMemory=1 GiB'], taskservs);
    expect(problems).toEqual([]);
    expect(redisOf(definition)?.config).toMatchObject({ port: 6390, maxMemory: 2 ** 30 });
    expect(redisOf(definition)?.endpoints[0]?.port).toBe(6390);
    expect(redisOf(before)?.config).toMatchObject({ port: 6379 });
    const back = changeDefinition(definition ?? before, ['db-1/redis.port=6379', 'db-1/redis.maxMemory=64 MiB'], taskservs);
    const same = changeDefinition(before, ['db-1/redis.maxMemory=64 MiB'], taskservs);
    expect(back.definition).toEqual(same.definition);
  });

  test.each([
    ['db-1/redis.port=70000', 'port'],
    ['db-1/redis.portt=1', 'portt'],
    ['db-2/redis.port=1', 'db-2'],
    ['db-1/nginx.port=1', 'db-1/nginx'],
    ['port=1', 'port=1'],
    ['db-1/redis.port=9100', 'db-1'],
  ])('%s is refused', (change, path) => {
    const { definition, problems } = changeDefinition(before, [change], taskservs);
    expect(definition).toBeUndefined();
    expect(problems[0]).toMatchObject({ file: '--set', message: expect.any(String) });
    expect(JSON.stringify(problems)).toContain(path);
  });
});
