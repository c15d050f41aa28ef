import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MergeConflict, type MergeKeyOf, merge, settle, type Tree, type Value } from './merge.js';

/** Lists below `items` have items that are told apart by their name; other lists replace. */
const byName: MergeKeyOf = (path) => (path.at(-1) === 'items' ? 'name' : undefined);
const over = (...layers: Tree[]) => settle(layers.reduce((below, layer) => merge(below, layer, byName), {}));

describe('a layer over another', () => {
  test.each<[what: string, layers: Tree[], expected: Tree]>([
    ['maps merge', [{ a: { x: 1, y: 2 } }, { a: { y: 3, z: 4 } }], { a: { x: 1, y: 3, z: 4 } }],
    ['lists replace', [{ a: [1, 2] }, { a: [3] }], { a: [3] }],
    [
      'null takes away what is below',
      [
        { a: 1, b: { c: 2 } },
        { a: null, b: null },
      ],
      {},
    ],
    ['null takes away a part', [{ a: { x: 1, y: 2 } }, { a: { x: null } }], { a: { y: 2 } }],
    ['what is over null does not bring back what is below', [{ a: { x: 1 } }, { a: null }, { a: { y: 2 } }], { a: { y: 2 } }],
    ['null is no conflict', [{ a: 1 }, { a: null }, { a: 'text' }], { a: 'text' }],
    ['$replace replaces a map', [{ a: { x: 1 } }, { a: { $replace: { y: 2 } } }], { a: { y: 2 } }],
    ['$replace replaces any type', [{ a: { x: 1 } }, { a: { $replace: [1] } }], { a: [1] }],
    ['a map merges into a replacement', [{ a: { x: 1 } }, { a: { $replace: { y: 2 } } }, { a: { z: 3 } }], { a: { y: 2, z: 3 } }],
    [
      'lists with a merge key merge in the order below, new items last',
      [{ items: [{ name: 'b', x: 1 }, { name: 'a' }] }, { items: [{ name: 'c' }, { name: 'a', y: 2 }, { name: 'b', x: 3 }] }],
      { items: [{ name: 'b', x: 3 }, { name: 'a', y: 2 }, { name: 'c' }] },
    ],
    [
      '$replace forces such a list',
      [{ items: [{ name: 'b' }] }, { items: { $replace: [{ name: 'c' }] } }],
      { items: [{ name: 'c' }] },
    ],
  ])('%s', (_, layers, expected) => {
    const before = JSON.stringify(layers);
    expect(over(...layers)).toEqual(expected);
    expect(JSON.stringify(layers)).toBe(before);
  });

  test.each<[what: string, layers: Tree[], path: string[], why: string]>([
    [
      'a map over a text',
      [{ a: { b: 'x' } }, { a: { b: { c: 1 } } }],
      ['a', 'b'],
      'it is a map here and a string in a layer below',
    ],
    ['a list over a map', [{ a: {} }, { a: [] }], ['a'], 'it is a list here and a map in a layer below'],
    ['a text over a number', [{ a: 1 }, { a: '1' }], ['a'], 'it is a string here and a number in a layer below'],
    ['another key beside $replace', [{ a: { $replace: 1, b: 2 } }], ['a'], 'beside "$replace" there can be no other key'],
    ['an item without its key', [{ items: [{ x: 1 }] }], ['items'], 'each item is a map with the text "name"'],
    ['two items of one name', [{ items: [{ name: 'a' }, { name: 'a' }] }], ['items'], 'two items have the same "name"'],
  ])('%s is a conflict', (_, layers, path, why) => {
    const thrown = thrownBy(() => over(...layers));
    expect([thrown.path, thrown.message]).toEqual([path, why]);
  });
});

function thrownBy(act: () => unknown): MergeConflict {
  try {
    act();
  } catch (error) {
    if (error instanceof MergeConflict) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const NAMES = ['a', 'b', 'c', 'd'];

/**
 * Layers whose values have one type at each key, with tombstones and replacements anywhere:
 * merging them has no conflict, in whatever order it is done.
 */
const layers = (): fc.Arbitrary<Tree> => {
  const orNothing = (value: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
    fc.oneof(
      { weight: 6, arbitrary: value },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: value.map((inner): Value => ({ $replace: inner })) },
    );
  const inner = fc.record({ number: orNothing(fc.nat(9)), text: orNothing(fc.constantFrom('x', 'y')) }, { requiredKeys: [] });
  const items = fc
    .uniqueArray(fc.constantFrom(...NAMES), { maxLength: 4 })
    .chain((names) => fc.tuple(...names.map((name) => inner.map((rest): Value => ({ name, ...(rest as Tree) })))));
  return fc.record(
    {
      text: orNothing(fc.constantFrom('x', 'y', 'z')),
      list: orNothing(fc.array(fc.nat(9), { maxLength: 3 })),
      map: orNothing(inner as fc.Arbitrary<Value>),
      items: orNothing(items as fc.Arbitrary<Value>),
      deep: orNothing(fc.record({ map: orNothing(inner as fc.Arbitrary<Value>) }, { requiredKeys: [] }) as fc.Arbitrary<Value>),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Tree>;
};

const join = (below: Tree, above: Tree) => merge(below, above, byName);

describe('for any layers', () => {
  test('it does not matter which two are merged first', () => {
    fc.assert(
      fc.property(layers(), layers(), layers(), (a, b, c) => {
        expect(settle(join(join(a, b), c))).toEqual(settle(join(a, join(b, c))));
      }),
      { numRuns: 500 },
    );
  });

  test('a layer over itself, or over nothing, is that layer', () => {
    fc.assert(
      fc.property(layers(), (a) => {
        expect(join(a, a)).toEqual(join({}, a));
        expect(join(a, {})).toEqual(join({}, a));
      }),
    );
  });

  test('what is settled has neither tombstones nor replacements, and settling it again changes nothing', () => {
    fc.assert(
      fc.property(layers(), layers(), (a, b) => {
        const settled = settle(join(a, b));
        expect(JSON.stringify(settled)).not.toMatch(/null|\$replace/);
        expect(settle(settled)).toEqual(settled);
      }),
    );
  });

  test('a tombstone on top leaves nothing, whatever is below', () => {
    fc.assert(
      fc.property(layers(), layers(), fc.constantFrom('text', 'list', 'map', 'items', 'deep'), (a, b, key) => {
        expect(Object.hasOwn(settle(join(join(a, b), { [key]: null })), key)).toBe(false);
      }),
    );
  });

  test('names of the lower list keep their order, and names of both come once', () => {
    const named = fc.uniqueArray(fc.constantFrom(...NAMES)).map((names): Tree => ({ items: names.map((name) => ({ name })) }));
    const namesOf = (tree: Tree) => (tree.items as Tree[]).map(({ name }) => name);
    fc.assert(
      fc.property(named, named, (a, b) => {
        const merged = namesOf(join(a, b));
        expect(merged.slice(0, namesOf(a).length)).toEqual(namesOf(a));
        expect(merged.slice(namesOf(a).length)).toEqual(namesOf(b).filter((name) => !namesOf(a).includes(name)));
      }),
    );
  });

  test('no key reaches into the language, wherever it stands and in whichever layer', () => {
    const bad = fc.constantFrom('__proto__', 'constructor', 'prototype');
    const wrap = fc.array(fc.constantFrom('map', 'list', 'replace'), { maxLength: 4 });
    fc.assert(
      fc.property(layers(), bad, wrap, fc.boolean(), (good, key, wraps, above) => {
        const core = JSON.parse(`{ ${JSON.stringify(key)}: { "polluted": true } }`) as Tree;
        const around = (value: Value, how: string): Value =>
          how === 'map' ? { m: value } : how === 'list' ? [value] : { $replace: value };
        const poison: Tree = { z: wraps.reduce(around, core) };
        const thrown = thrownBy(() => (above ? join(good, poison) : join(poison, good)));
        expect(thrown.path.at(-1)).toBe(key);
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
        expect(thrownBy(() => settle(core)).path).toEqual([key]);
      }),
    );
  });
});
