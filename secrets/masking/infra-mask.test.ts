import { expect, test } from 'vitest';
import { secretPartsOf } from './infra-mask.js';

const PRIVATE = '-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----';
const PAIR = `-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n${PRIVATE}\n`;
const of = (kind: string) => `generated/default/shop/${kind}/web`;

test.each(['ca', 'certificate', 'ssh-key'])('of a generated %s only the private key is secret', (kind) => {
  expect(secretPartsOf(of(kind), PAIR)).toEqual([PRIVATE]);
  // A truncated key is masked too.
  expect(secretPartsOf(of(kind), `public\n${PRIVATE.slice(0, 40)}`)).toEqual([PRIVATE.slice(0, 40)]);
  expect(secretPartsOf(of(kind), 'no key')).toEqual(['no key']);
});

test('every other secret is secret as a whole, also with a key inside', () => {
  for (const name of ['db', 'tls', of('password')]) expect(secretPartsOf(name, PAIR)).toEqual([PAIR]);
});
