import { describe, expect, test } from 'vitest';
import { definitionOf } from '../../test/support/definition.js';
import { fc } from '../../test/support/fast-check.js';
import { largeFile } from '../../test/support/large.js';
import { LIMITS } from '../limits.js';
import { checkRequest, findExcess, weighValue } from './weight.js';

const MiB = 1024 * 1024;
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('is close to what JSON writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { bytes: weight } = weighValue(value, Number.MAX_SAFE_INTEGER);
      // Escapes and numbers are not looked into.
      return weight >= bytes(value) / 6 - 8 && weight <= 4 * bytes(value) + 8;
    }),
  );
  for (const text of ['plain', 'Grüße', '世界', '👍👍']) expect(weighValue(text, 100).bytes).toBe(bytes(text) + 1);
});

describe('what is taken', () => {
  test('a definition of 1,000 servers with eight taskservs each', () => {
    const definition = definitionOf(largeFile({ infra: 'large', servers: 1_000 }));
    expect(findExcess(definition, LIMITS.definition)).toBeUndefined();
  });

  test.each([
    ['a long text', { text: 'x'.repeat(1.1 * MiB) }, /1\.1 MiB of it are long texts/],
    ['a long text many times', Array.from({ length: 40 }, () => 'x'.repeat(30_000)), /1\.1 MiB of it are long texts/],
    ['many short texts', Array.from({ length: 60_000 }, (_, index) => `${index}`.padEnd(100, 'x')), /more than 5 MiB as JSON/],
    [
      'many keys',
      Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [`key-${index}-long-enough`, 1])),
      /more than 5/,
    ],
  ])('not %s', (_, value, why) => {
    expect(findExcess(value, LIMITS.definition)).toMatch(why);
    expect(() => checkRequest(value, 'submit the operation', 'shop')).toThrow(/^cannot submit the operation: shop: /);
  });

  test('what contains itself is given up', () => {
    const self: unknown[] = [];
    self.push(self, self);
    expect(findExcess(self, LIMITS.definition)).toMatch(/more than 5 MiB/);
  });
});
