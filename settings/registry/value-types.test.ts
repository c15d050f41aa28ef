import { expect, test } from 'vitest';
import { REGISTRY } from './keys.js';
import { misfit, textOfValue, type ValueType, valueOfText } from './value-types.js';

const typeOf = (name: string): ValueType => {
  const key = REGISTRY.keys.get(name);
  if (!key) throw new Error(name);
  return key.type;
};

test.each([
  ['taskservs.redis.port', '6400', 6400],
  ['taskservs.redis.port', '99999', undefined],
  ['taskservs.redis.maxMemory', '1 GiB', '1 GiB'],
  ['taskservs.redis.maxMemory', '1048576', 1_048_576],
  ['taskservs.redis.maxMemory', 'much', undefined],
  ['taskservs.redis.password', '{"secret":"x"}', { secret: 'x' }],
  ['taskservs.redis.password', 'hunter2', undefined],
  ['taskservs.haproxy.metrics.enabled', 'false', false],
  ['taskservs.postgres.allow', '["10.0.0.0/8"]', ['10.0.0.0/8']],
  ['taskservs.postgres.allow', '["nowhere"]', undefined],
  ['rolling.batch', '25%', '25%'],
  ['rolling.batch', '3', 3],
  ['rolling.batch', '0', undefined],
  ['rolling.batch', '101%', undefined],
  ['providers.hetzner.endpoint', 'https://api.example/v1', 'https://api.example/v1'],
  ['providers.hetzner.endpoint', 'https://ann:pw@api.example/v1', undefined],
  ['backup.folder', 'relative', undefined],
])('%s takes %s as %j', (name, text, value) => {
  expect(valueOfText(typeOf(name), text)).toEqual(value);
  if (value !== undefined) expect(valueOfText(typeOf(name), textOfValue(value))).toEqual(value);
});

test('the default of each field is of its own type', () => {
  const wrong = [...REGISTRY.keys.values()].filter(
    (key) => key.default !== undefined && misfit(key.type, key.default) !== undefined,
  );
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test('what is wrong with a value does not repeat it', () => {
  expect(misfit(typeOf('taskservs.redis.password'), 'hunter2')).not.toContain('hunter2');
  expect(misfit(typeOf('taskservs.users.users'), [{ name: 5 }])).toBe('0.name: must be a text');
});
