import { createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificatesIn, keysIn, makeAuthority, makeCertificate } from '../../secrets/generate/certificates.js';
import { faultOfPair } from './certificate-pair.js';

const DAY_MS = 86_400_000;
const authority = makeAuthority('shop', 30);
const [root = ''] = certificatesIn(authority);
const [strange = ''] = certificatesIn(makeAuthority('shop', 30));
/** Key, certificate and that of the authority. */
const made = (days = 9) => makeCertificate(authority, ['shop.example.org'], days);
const [one, other] = [made(), made()];
const own = (pair: string) => certificatesIn(pair)[0] ?? '';
const key = keysIn(one)[0] ?? '';
const sealed = (type: 'pkcs8' | 'sec1') =>
  createPrivateKey(key).export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'hunter2' }).toString();
const sec1 = createPrivateKey(key).export({ type: 'sec1', format: 'pem' }).toString();
const EC = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';

test.each([
  ['a certificate alone', own(one), key],
  ['one with its authority', own(one) + root, key],
  [
    'a text between, Windows lines, no last line end',
    `\ufeffsubject=CN = shop\r\n${own(one)}${root}`.replaceAll('\n', '\r\n').trim(),
    key,
  ],
  ['parameters before an older form of key', own(one), EC + sec1],
  ['the whole of a generated pair for both', one, one],
  ['one that is there twice', own(one) + own(one), key],
  ['one that is there twice, with its authority', own(one) + own(one) + root, key],
  ['one with its authority twice', own(one) + root + root, key],
  ['one with a new and its own root', own(one) + strange + root, key],
  ['another certificate behind its authority', own(one) + root + own(other), key],
  ['one that signed itself, with another root', root + strange, authority],
])('%s is of use', (_, certificate, given) => expect(faultOfPair({ certificate, key: given })).toBeUndefined());

test.each([
  ['the key of another certificate', own(one), keysIn(other)[0], 'key', 'the key does not belong to the certificate'],
  ['the authority first', root + own(one), key, 'certificate', 'the key belongs to certificate 2 of the text'],
  [
    'an authority of the same name',
    own(one) + strange,
    key,
    'certificate',
    'none of the following certificates signed the first certificate',
  ],
  [
    'the chain of another certificate',
    own(one) + own(one) + own(other) + strange,
    key,
    'certificate',
    'none of the following certificates signed the first certificate',
  ],
  ['a key with a passphrase', own(one), sealed('pkcs8'), 'key', 'the key has a passphrase, and services cannot enter one'],
  ['an older key with a passphrase', own(one), sealed('sec1'), 'key', 'the key has a passphrase, and services cannot enter one'],
  ['no key', own(one), own(one), 'key', 'it has no private key in PEM'],
  ['half of a key', own(one), key.replace(/\n.{20}/, '\n'), 'key', 'the private key cannot be read'],
  ['no certificate', key, key, 'certificate', 'it has no certificate in PEM'],
  ['half of the second', own(one) + root.replace(/\n.{20}/, '\n'), key, 'certificate', 'certificate 2 of the text cannot be read'],
] as const)('%s is of no use', (_, certificate, given, part, why) => {
  const fault = faultOfPair({ certificate, key: given ?? '' });
  expect(fault).toMatchObject({ part, why });
  for (const line of (given ?? '').split('\n').filter((text) => text.length > 20))
    expect(JSON.stringify(fault)).not.toContain(line);
});

test('a certificate is of use between its beginning and its end', () => {
  const pair = { certificate: own(one), key };
  const end = new Date(Date.now() + 9 * DAY_MS).toISOString().slice(0, 10);
  expect(faultOfPair(pair, Date.now() + 8.9 * DAY_MS)).toBeUndefined();
  expect(faultOfPair(pair, Date.now() + 9.1 * DAY_MS)).toEqual({ part: 'certificate', why: `the certificate ended on ${end}` });
  expect(faultOfPair(pair, Date.now() - DAY_MS)?.why).toMatch(/^the certificate begins on \d{4}-\d\d-\d\d$/);
});
