import { expect, test } from 'vitest';
import { tlsAlone, tlsOnAnotherPort } from './service-tls.js';

const given = (certificate: string, key: string) => ({ certificate: { $secret: certificate }, key: { $secret: key } });
const told = (value: unknown): (string | undefined)[] =>
  tlsAlone()
    .safeParse(value)
    .error?.issues.map(({ path, message }) => [...path, message].join(': ')) ?? [];

test('a certificate is given, or of acme', () => {
  expect(told({})).toEqual(['tls needs either acme, or certificate and key']);
  expect(told({ acme: 'shop', ...given('a', 'b') })).toEqual(['tls needs either acme, or certificate and key']);
  expect(told({ certificate: { $secret: 'a' } })).toEqual(['set both certificate and key']);
  expect(told({ acme: 'shop' })).toEqual([]);
});

test('of what is generated, the key is that of the certificate', () => {
  const of = (label: string, part: string) => `generated/default/shop/certificate/${label}/${part}`;
  expect(told(given(of('db', 'certificate'), of('db', 'key')))).toEqual([]);
  expect(told(given(of('db', 'certificate'), of('web', 'key')))).toEqual([
    'key: the key belongs to another certificate: give both the same ca, names and days',
  ]);
  expect(told(given(of('db', 'key'), of('db', 'key')))).toEqual(['certificate: set part: certificate to generate a certificate']);
  expect(told(given(of('db', 'certificate'), of('db', 'certificate')))).toEqual(['key: set part: key to generate a key']);
});

test('others have to use it unless that is said', () => {
  expect(tlsOnAnotherPort(6380).parse({ acme: 'shop' })).toMatchObject({ port: 6380, required: true, minimum: 'TLSv1.2' });
});
