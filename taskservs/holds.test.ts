import { expect, test } from 'vitest';
import { loadModules } from '../core/registry.js';
import { taskservs } from './registry.generated.js';

const modules = Object.entries(await loadModules(taskservs));

test.each(modules)('%s says which data it holds, or that it holds none', (_, { holds }) => {
  expect(holds, 'add `holds`: the paths of its data, or an empty list').toBeDefined();
  for (const path of typeof holds === 'function' ? [] : (holds ?? [])) expect(path).toMatch(/^\/[^/]/);
});

test('data that the configuration keeps in memory only is not held', () => {
  const paths = (name: string, config: object): readonly string[] => {
    const taskserv = Object.fromEntries(modules)[name];
    const { holds = [] } = taskserv ?? {};
    return typeof holds === 'function' ? holds(taskserv?.config.parse(config)) : holds;
  };
  expect(paths('redis', {})).toEqual(['/var/lib/redis']);
  expect(paths('redis', { persistence: 'none' })).toEqual([]);
  expect(paths('nats', {})).toEqual([]);
  expect(paths('postgres', {})).toEqual(['/var/lib/postgresql']);
});
