import { expect, test } from 'vitest';
import { loadModules } from './registry.js';

const loaded: string[] = [];
const entry = (name: string, requires: string[] = []) => ({
  load: async () => {
    loaded.push(name);
    return { name, requires };
  },
});
const registry = { app: entry('app', ['runtime']), runtime: entry('runtime', ['app', 'gone']), other: entry('other') };

test('only what is named is loaded, with what it requires, each once', async () => {
  expect(await loadModules(registry, ['app', 'app', 'constructor'])).toEqual({
    app: { name: 'app', requires: ['runtime'] },
    runtime: { name: 'runtime', requires: ['app', 'gone'] },
  });
  expect(loaded).toEqual(['app', 'runtime']);
});

test('all are loaded where nothing is named', async () => {
  expect(Object.keys(await loadModules(registry))).toEqual(['app', 'runtime', 'other']);
});
