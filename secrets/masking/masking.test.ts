import { describe, expect, it } from 'vitest';
import { createMask, createMatcher, maskBy } from './masking.js';

const KEY = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n';

describe('maskOf', () => {
  it('masks a value wherever it stands, the longest first', () => {
    const mask = createMask(['hunter2', 'hunter2-and-more']);
    expect(mask('a hunter2 b hunter2-and-more c')).toBe('a *** b *** c');
  });

  it('masks each line of a value, since programs and streams print line by line', () => {
    const mask = createMask([KEY]);
    for (const line of KEY.split('\n').slice(1, 3)) expect(mask(`line 2: ${line}!`)).toBe('line 2: ***!');
    expect(mask(KEY)).not.toMatch(/MIIE|kqhk/);
    expect(createMask([KEY.replaceAll('\n', '\r\n')])('MIIEvQIBADANBg')).toBe('***');
  });

  it.each([
    ['base64', Buffer.from('p@ss w\'rd"/+').toString('base64')],
    ['base64 for URLs', Buffer.from('p@ss w\'rd"/+').toString('base64url')],
    ['a URL', `postgres://app:${encodeURIComponent('p@ss w\'rd"/+')}@db`],
    ['JSON', JSON.stringify({ password: 'p@ss w\'rd"/+' })],
    ['quotes of a shell', `export P='${'p@ss w\'rd"/+'.replaceAll("'", `'\\''`)}'`],
  ])('masks a value in %s', (_, text) => {
    const masked = createMask(['p@ss w\'rd"/+'])(text);
    expect(masked).toContain('***');
    expect(masked).not.toMatch(/ss w|cEBzcy|ss%20w/);
  });

  it('leaves alone what is too short to be told from other text', () => {
    expect(createMask(['abc', '', 'x\n{\n}\nlonger line'])('abc { } x longer line')).toBe('abc { } x ***');
  });
});

/** Forms in which a hostile program may print a secret. */
const MADE: [string, (value: string) => string][] = [
  ['basic authentication', (value) => Buffer.from(`app:${value}`).toString('base64')],
  ['base64 from the second byte of three', (value) => Buffer.from(`ab${value}tail`).toString('base64')],
  [
    'base64 in lines',
    (value) =>
      (
        Buffer.from(value.repeat(1))
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      ).join('\n'),
  ],
  ['hexadecimal', (value) => Buffer.from(value).toString('hex')],
  ['hexadecimal in capitals', (value) => Buffer.from(value).toString('hex').toUpperCase()],
  ['a form of the web', (value) => new URLSearchParams({ p: value }).toString()],
  ['SQL', (value) => `'${value.replaceAll("'", "''")}'`],
  ['double quotes of a shell', (value) => `"${value.replace(/[\\"$`]/g, '\\$&')}"`],
  ['XML', (value) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
  ['JSON of PHP', (value) => JSON.stringify(value).replaceAll('/', '\\/')],
  ['JSON of Go', (value) => JSON.stringify(value).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)],
];
const VALUES = ['CANARY7-9f8e7d6c5b4a', 'CANARY7 &<>"\'$/+ 9f8e', 'CANARY7/9f8e'.padEnd(90, 'x7'), 'CANARY7-ümlaut-9'];

it.each(MADE)('masks a secret that a program prints as %s', (_, make) => {
  for (const value of VALUES) {
    const made = make(value);
    const left = createMask([value])(made);
    expect(left).toContain('***');
    // The characters at both ends of base64 stay, because they also depend on the surrounding text.
    expect(left.replace(/\*+/g, '')).not.toMatch(/CANARY|9f8e|43414e415259|Q0FOQVJZ|NBTkFSW|DQU5BUl/i);
  }
});

it('masks the parts into which a parser divides a secret', () => {
  const mask = createMask(['first-w0rd second-w0rd third', 'DB_PASS=s3cret-of-env', 'postgres://app:p%40ss-w0rd@db/shop']);
  expect(mask('bash: first-w0rd: command not found')).toBe('bash: ***: command not found');
  expect(mask('near "second-w0rd"')).toBe('near "***"');
  expect(mask('s3cret-of-env, p@ss-w0rd, p%40ss-w0rd')).toBe('***, ***, ***');
  const account = JSON.stringify({
    type: 'service_account',
    private_key: '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhk\n-----END KEY-----\n',
  });
  expect(createMask([account])('MIIEvQIBADANBgkqhk of a service_account')).toBe('*** of a service_account');
});

it('masks no word that stands in other texts, and no frame of a key', () => {
  const mask = createMask(['user: postgres\npassword: listen_port third third', `${KEY}`]);
  for (const text of ['postgres has a password', 'listen_port', '-----BEGIN KEY-----']) expect(mask(text)).toBe(text);
});

it('masks what overlaps as one, and leaves nothing of either', () => {
  expect(createMask(['abcdefgh', 'efghijkl'])('abcdefghijkl.')).toBe('***.');
});

it('masks across the borders of pieces, wherever they are', () => {
  const values = ['CANARY-abcdefgh', 'another-canary-1'];
  const text = `start CANARY-abcdefgh middle another-canary-1${' x'.repeat(50)}CANARY-abcdefgh`;
  const matcher = createMatcher(values);
  const mask = maskBy(() => [matcher]);
  for (let size = 1; size < text.length; size++) {
    const shown = mask.pieces();
    const parts: string[] = [];
    for (let at = 0; at < text.length; at += size) parts.push(shown(text.slice(at, at + size), at + size >= text.length));
    expect(parts.join('')).toBe(mask.hide(text));
  }
});

it('finds hundreds of secrets in a large text in one pass', () => {
  const values = Array.from({ length: 500 }, (_, index) => `secret-${index}-${'k'.repeat(20)}`);
  const text = `${'an ordinary line of a build, which says secret things\n'.repeat(20_000)}${values[499]}\n`;
  const began = performance.now();
  const masked = createMask(values)(text);
  expect(masked.endsWith('***\n')).toBe(true);
  // A scan for each of them would take minutes.
  expect(performance.now() - began).toBeLessThan(20_000);
});

it('masks what a program prints that reads the quotes of a value by other rules', () => {
  const mask = createMask(["x'TOPSECRETTAIL", 'abc\\4f5g6h', 'it"s a word']);
  expect(mask('error parsing query: found TOPSECRETTAIL, expected ;')).toBe('error parsing query: found ***, expected ;');
  expect(mask('invalid escape before 4f5g6h')).toBe('invalid escape before ***');
  expect(mask('a word')).toBe('a word');
});

it('masks a value as it stands in a file that we wrote', () => {
  const mask = createMask([`p'Q\\7"z9`]);
  for (const line of ['requirepass "p\'Q\\x5c7\\x22z9"', "PASSWORD 'p\\'Q\\\\7\"z9'"]) expect(mask(line)).not.toMatch(/z9|Q/);
});
