import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { fc } from '../../test/support/fast-check.js';
import { network } from '../schema/fields.js';
import { addressRange } from '../schema/text-fields.js';
import { networkForm } from './network-form.js';

/** The addresses of a range by their bits: whether the range has the address. */
const bitsOf = (address: string): string =>
  address.includes(':')
    ? [
        ...BigInt(`0x${hexOf(address)}`)
          .toString(2)
          .padStart(128, '0'),
      ].join('')
    : address
        .split('.')
        .map((byte) => Number(byte).toString(2).padStart(8, '0'))
        .join('');

function hexOf(address: string): string {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const missing = address.includes('::') ? 8 - groups(head).length - groups(tail).length : 0;
  return [...groups(head), ...Array(missing).fill('0'), ...groups(tail)].map((one) => one.padStart(4, '0')).join('');
}

const written = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
  fc.tuple(
    fc.ipV6().filter((address) => !address.includes('.')),
    fc.integer({ min: 0, max: 128 }),
  ),
);

it('a network has one form, and the same addresses in it', () => {
  fc.assert(
    fc.property(written, ([address, bits]) => {
      const { text, network: whole, alone } = networkForm(`${address}/${bits}`);
      const [first = ''] = whole.split('/');
      expect(isIP(first)).toBe(isIP(address));
      expect(bitsOf(first)).toBe(bitsOf(address).slice(0, bits).padEnd(bitsOf(address).length, '0'));
      expect(bitsOf(text.split('/')[0] ?? '')).toBe(bitsOf(address));
      expect(bitsOf(alone.split('/')[0] ?? '')).toBe(bitsOf(address));
      expect(networkForm(text.toUpperCase()).text).toBe(text);
      expect(networkForm(whole)).toMatchObject({ text: whole, network: whole });
    }),
  );
});

const schemas: [string, z.ZodType<string>][] = [
  ['a range of a definition', addressRange('a range')],
  ['a network of a taskserv', network()],
];

it.each(schemas)('%s is in one form, or refused with what may be meant', (_, schema) => {
  const read = (text: string) => schema.safeParse(text);
  expect(['10.0.0.0/8', '::0/0', '2001:DB8:0::/32', '0:0:0:0:0:0:0:1/128', '192.0.2.7/32'].map((text) => read(text).data)).toEqual([
    '10.0.0.0/8',
    '::/0',
    '2001:db8::/32',
    '::1/128',
    '192.0.2.7/32',
  ]);
  expect(['10.0.0.1/8', '2001:db8::7/32'].map((text) => read(text).error?.issues.map(({ message }) => message))).toEqual([
    ['10.0.0.1 is an address inside the range: write 10.0.0.0/8, or 10.0.0.1/32 for only this address'],
    ['2001:db8::7 is an address inside the range: write 2001:db8::/32, or 2001:db8::7/128 for only this address'],
  ]);
  expect(read('10.0.0.0/33').success).toBe(false);
  expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow();
});

it('one address of a taskserv stays one', () => {
  expect(['192.0.2.7', 'FD00:0::1'].map((text) => network().parse(text))).toEqual(['192.0.2.7', 'fd00::1']);
});
