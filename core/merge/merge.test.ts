import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { createLayer, type MergeRules, merge, traceAt } from './merge.js';

const rules: MergeRules = {
  mergeKey: ([key, ...rest]) => (key === 'servers' && rest.length === 0 ? 'name' : undefined),
  whole: (_, value) => typeof value === 'object' && value !== null && Object.hasOwn(value, 'secret'),
};
const merged = (...layers: unknown[]) =>
  layers.slice(1).reduce(
    (under: ReturnType<typeof merge>, layer, index) => {
      const { merged, conflicts } = merge(under.merged, createLayer(layer, index + 1), rules);
      return { merged, conflicts: [...under.conflicts, ...conflicts] };
    },
    { merged: createLayer(layers[0], 0), conflicts: [] },
  );
const value = (...layers: unknown[]) => merged(...layers).merged.value;
const messages = (...layers: unknown[]) => merged(...layers).conflicts.map(({ message }) => message);

describe('a layer over another', () => {
  test.each<[string, unknown, unknown, unknown]>([
    ['maps are joined', { a: 1, b: { c: 2 } }, { b: { d: 3 }, e: 4 }, { a: 1, b: { c: 2, d: 3 }, e: 4 }],
    ['null removes', { a: 1, b: { c: 2, d: 3 } }, { a: null, b: { c: null }, gone: null }, { b: { d: 3 } }],
    ['null removes nothing of the lowest', { a: null }, { b: 1 }, { a: null, b: 1 }],
    ['lists replace', { a: [1, 2] }, { a: [3] }, { a: [3] }],
    [
      'named entries are joined, in the order of the lower, new ones last',
      { servers: [{ name: 'a', plan: 'small' }, { name: 'b' }] },
      { servers: [{ name: 'c' }, { name: 'b', plan: 'large' }] },
      { servers: [{ name: 'a', plan: 'small' }, { name: 'b', plan: 'large' }, { name: 'c' }] },
    ],
    [
      'a name alone is an entry',
      { servers: ['a', { name: 'b', plan: 'small' }] },
      { servers: [{ name: 'a', plan: 'large' }, 'b', 'c'] },
      { servers: [{ name: 'a', plan: 'large' }, { name: 'b', plan: 'small' }, 'c'] },
    ],
    ['$replace replaces a map', { a: { b: 1 } }, { a: { $replace: { c: 2 } } }, { a: { c: 2 } }],
    [
      '$replace replaces a named list',
      { servers: [{ name: 'a' }] },
      { servers: { $replace: [{ name: 'b' }] } },
      { servers: [{ name: 'b' }] },
    ],
    ['$replace where nothing is', {}, { a: { $replace: [1] } }, { a: [1] }],
    ['$replace within $replace', { a: 1 }, { a: { $replace: { b: { $replace: 2 }, c: null } } }, { a: { b: 2 } }],
    ['what is one thing replaces', { a: { secret: 'x' } }, { a: { generate: 1 } }, { a: { generate: 1 } }],
    ['a map takes the place of a word', { a: 'all' }, { a: { role: 'b' } }, { a: { role: 'b' } }],
    ['null inside what is new', {}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])('%s', (_, under, over, expected) => {
    expect(merged(under, over)).toMatchObject({ merged: { value: expected }, conflicts: [] });
    expect(value(under, over)).toEqual(expected);
  });

  test('what cannot be joined is said, with both places, and leaves the lower one', () => {
    const { merged: found, conflicts } = merged({ a: { b: [1] } }, { a: { b: { c: 1 } } });
    expect(found.value).toEqual({ a: { b: [1] } });
    expect(conflicts).toEqual([
      {
        message: 'a map cannot be laid over a list',
        suggestion: 'to replace it write { $replace: … }',
        over: { layer: 1, path: ['a', 'b'] },
        under: { layer: 0, path: ['a', 'b'] },
      },
    ]);
    expect(messages({ a: {} }, { a: [] })).toEqual(['a list cannot be laid over a map']);
    expect(messages({ servers: [{ name: 'a' }, { name: 'a' }] }, { servers: [{ name: 'a' }] })).toEqual([
      'several entries are called "a", and this could be about each of them',
    ]);
    expect(messages({ servers: [] }, { servers: [{ plan: 'small' }] })).toEqual([
      'an entry without "name" says nothing of where it belongs',
    ]);
  });

  test('names that reach into the language are refused wherever they are', () => {
    const bad = JSON.parse('{"a": {"__proto__": {"polluted": 1}}, "constructor": 1, "servers": [{"name": "x", "prototype": 1}]}');
    const { merged: found, conflicts } = merged({ servers: [] }, bad);
    expect(found.value).toEqual({ a: {}, servers: [{ name: 'x' }] });
    expect(conflicts.map(({ over }) => over.path)).toEqual([['a', '__proto__'], ['constructor'], ['servers', 0, 'prototype']]);
    expect({}).not.toHaveProperty('polluted');
  });
});

const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean());
const key = fc.constantFrom('a', 'b', 'c', 'd');
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof({ depthSize: 'small' }, leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(key, tie('data'), { maxKeys: 4 })),
}));
const map = fc.dictionary(key, data, { maxKeys: 4 });
const copy = (from: unknown) => JSON.parse(JSON.stringify(from));

/** Every path to something that holds nothing else. */
function leaves(from: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof from !== 'object' || from === null) return [path];
  return Object.entries(from).flatMap(([name, one]) => leaves(one, [...path, Array.isArray(from) ? Number(name) : name]));
}
const valueAt = (from: unknown, path: readonly (string | number)[]) =>
  path.reduce<unknown>((one, name) => (one as Record<string | number, unknown>)[name], from);

describe('whatever is merged', () => {
  test('nothing over it, and itself over it, leave it; neither layer is changed', () => {
    fc.assert(
      fc.property(map, (one) => {
        const before = copy(one);
        expect(value(one, {})).toEqual(before);
        expect(value({}, one)).toEqual(before);
        expect(value(one, copy(one))).toEqual(before);
        expect(one).toEqual(before);
      }),
    );
  });

  test('each value is found by its trace in the layer that it is from', () => {
    fc.assert(
      fc.property(map, map, map, (...layers) => {
        const { merged: found } = merged(...layers);
        for (const path of leaves(found.value)) {
          const { layer, path: there } = traceAt(found.trace, path);
          expect(valueAt(layers[layer], there)).toEqual(valueAt(found.value, path));
        }
      }),
    );
  });

  test('what the upper layer says is what comes out, unless it was refused', () => {
    fc.assert(
      fc.property(map, map, (under, over) => {
        const { merged: found, conflicts } = merged(under, over);
        if (conflicts.length > 0) return;
        for (const path of leaves(over)) expect(valueAt(found.value, path)).toEqual(valueAt(over, path));
      }),
    );
  });
});
