import { describe, expect, it } from 'vitest';
import { maskOf } from './masking.js';

const KEY = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----\n';

describe('maskOf', () => {
  it('masks a value wherever it stands, the longest first', () => {
    const mask = maskOf(['hunter2', 'hunter2-and-more']);
    expect(mask('a hunter2 b hunter2-and-more c')).toBe('a *** b *** c');
  });

  it('masks each line of a value, since programs and streams print line by line', () => {
    const mask = maskOf([KEY]);
    for (const line of KEY.trim().split('\n')) expect(mask(`line 2: ${line}!`)).toBe('line 2: ***!');
    expect(mask(KEY)).not.toMatch(/MIIE|kqhk/);
    expect(maskOf([KEY.replaceAll('\n', '\r\n')])('MIIEvQIBADANBg')).toBe('***');
  });

  it.each([
    ['base64', Buffer.from('p@ss w\'rd"/+').toString('base64')],
    ['base64 for URLs', Buffer.from('p@ss w\'rd"/+').toString('base64url')],
    ['a URL', `postgres://app:${encodeURIComponent('p@ss w\'rd"/+')}@db`],
    ['JSON', JSON.stringify({ password: 'p@ss w\'rd"/+' })],
    ['quotes of a shell', `export P='${'p@ss w\'rd"/+'.replaceAll("'", `'\\''`)}'`],
  ])('masks a value in %s', (_, text) => {
    const masked = maskOf(['p@ss w\'rd"/+'])(text);
    expect(masked).toContain('***');
    expect(masked).not.toMatch(/ss w|cEBzcy|ss%20w/);
  });

  it('leaves alone what is too short to be told from other text', () => {
    expect(maskOf(['abc', '', 'x\n{\n}\nlonger line'])('abc { } x longer line')).toBe('abc { } x ***');
  });
});
