import { describe, expect, test } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { pack, unpack } from './pack.js';

const json = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('packing', () => {
  test('what is packed and sent unpacks to the same, in the same order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(JSON.stringify(unpack(json(pack(value))))).toBe(JSON.stringify(value));
      }),
      { numRuns: 500 },
    );
  });

  test('what JSON leaves out is left out, and names that mean something to JavaScript are names', () => {
    expect(unpack(pack({ a: undefined, b: [undefined, 1] }))).toEqual({ b: [null, 1] });
    const odd = JSON.parse('{"__proto__":{"x":"long enough"},"constructor":1,"":"long enough"}');
    expect(JSON.stringify(unpack(json(pack(odd))))).toBe(JSON.stringify(odd));
  });

  test('halves of a surrogate pair are not lost to a shared beginning', () => {
    const value = ['text😀', 'text😁', 'text\ud83d'];
    expect(unpack(pack(value))).toEqual(value);
  });

  test('equal parts are written once', () => {
    const part = (port: number) => ({ listen: { port, address: 'everywhere' }, options: ['first one', 'second one'] });
    const many = Array.from({ length: 1_000 }, () => part(80));
    expect(pack(many).strings).toHaveLength(3);
    expect(JSON.stringify(pack(many)).length).toBeLessThan(4_500);
  });
});
