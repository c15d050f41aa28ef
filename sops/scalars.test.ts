import { expect, test } from 'vitest';
import { formatDecimal, numberLeaf, plainLeaf } from './scalars.js';

const seen = (text: string) => {
  const { type, data } = plainLeaf(text);
  return `${type} ${data}`;
};

test.each([
  ['hello', 'str hello'],
  ['yes', 'str yes'],
  ['True', 'bool True'],
  ['false', 'bool False'],
  ['~', 'null '],
  ['12', 'int 12'],
  ['+12', 'int 12'],
  ['-0x1F', 'int -31'],
  ['0b11', 'int 3'],
  ['0777', 'int 511'],
  ['0o17', 'int 15'],
  ['09', 'float 9'],
  ['1_000', 'int 1000'],
  ['9223372036854775807', 'int 9223372036854775807'],
  ['1.50', 'float 1.5'],
  ['.5', 'float 0.5'],
  ['1e3', 'float 1000'],
  ['1e-7', 'float 0.0000001'],
  ['1.2.3', 'str 1.2.3'],
  ['2020-1-2', 'time 2020-01-02T00:00:00Z'],
  ['2020-01-02T03:04:05.60+02:00', 'time 2020-01-02T03:04:05.6+02:00'],
  ['2020-13-01', 'str 2020-13-01'],
  ['12:30', 'str 12:30'],
])('an unquoted %s is %s', (text, what) => expect(seen(text)).toBe(what));

test.each(['.inf', '-.INF', '.nan', '18446744073709551615'])('%s has no place in a file', (text) =>
  expect(() => plainLeaf(text)).toThrow(),
);

test('numbers of JSON keep all of their digits', () => {
  expect(String(numberLeaf('9007199254740993').data)).toBe('9007199254740993');
  expect(numberLeaf('1e2')).toMatchObject({ type: 'float', data: Buffer.from('100') });
});

test.each([
  [1e21, '1000000000000000000000'],
  [1.5e-10, '0.00000000015'],
  [-0, '-0'],
  [123.456, '123.456'],
  [-1.25e22, '-12500000000000000000000'],
])('%d is %s', (number, text) => expect(formatDecimal(number)).toBe(text));
