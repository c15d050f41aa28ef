import { describe, expect, it } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { CycleError, topologicalOrder } from './graph.js';

const edges = (table: Record<string, string[]>) => new Map(Object.entries(table));

describe('topologicalOrder', () => {
  it('puts each after what it depends on, ties by name', () => {
    expect(topologicalOrder(edges({ web: ['db', 'cache'], db: [], cache: [], app: ['web'] }))).toEqual([
      'cache',
      'db',
      'web',
      'app',
    ]);
  });

  it('does not depend on the order of its input', () => {
    expect(topologicalOrder(edges({ b: [], a: ['b'], c: [] }))).toEqual(topologicalOrder(edges({ c: [], a: ['b'], b: [] })));
  });

  it('ignores names that are not there', () => expect(topologicalOrder(edges({ a: ['nowhere'] }))).toEqual(['a']));

  it('names the path of a cycle', () => {
    const order = () => topologicalOrder(edges({ a: ['b'], b: ['c'], c: ['b'] }));
    expect(order).toThrow(CycleError);
    expect(order).toThrow('dependency cycle: b → c → b');
    expect(() => topologicalOrder(edges({ a: ['a'] }))).toThrow('a → a');
  });

  it('holds for any graph without cycles', () => {
    const graph = fc.array(fc.array(fc.nat(30)), { maxLength: 30 }).map((rows) =>
      // Edges go to lower numbers only: no cycle is possible.
      edges(Object.fromEntries(rows.map((row, index) => [`n${index}`, row.filter((to) => to < index).map((to) => `n${to}`)]))),
    );
    fc.assert(
      fc.property(graph, (graph) => {
        const order = topologicalOrder(graph);
        expect([...order].sort()).toEqual([...graph.keys()].sort());
        for (const [name, before] of graph)
          for (const other of before) expect(order.indexOf(other)).toBeLessThan(order.indexOf(name));
      }),
    );
  });
});
