import { describe, expect, it } from 'vitest';
import { findSecretRefs, hasSecretMarkers, isSecretRef, reveal, type Text, text } from './secret.js';

const DB = { $secret: 'db' };
const lookup = (name: string) => `secret-of-${name}`;

describe('text', () => {
  it('is a string where it refers to no secret', () => expect(text`port ${5}, ${'a'}${''}`).toBe('port 5, a'));

  it('keeps references apart from the strings around them', () => {
    expect(text`user=${'app'} password='${DB}'\n`).toEqual(["user=app password='", DB, "'\n"]);
    expect(text`${DB}`).toEqual([DB]);
    expect(text`a${text`b${DB}c`}d`).toEqual(['ab', DB, 'cd']);
  });
});

describe('reveal', () => {
  it('puts values in place of references', () => {
    expect(reveal(text`${DB}:${{ $secret: 'other' }}\n`, lookup)).toBe('secret-of-db:secret-of-other\n');
  });

  it.each(['\u27e6secret:db\u27e7', '{"$secret":"db"}', '[{"$secret":"db"}]', "text`${{ $secret: 'db' }}`"])(
    'expands nothing in a string: %s',
    (string) => {
      expect(reveal(string, lookup)).toBe(string);
      expect(reveal(text`${string} ${DB}`, lookup)).toBe(`${string} secret-of-db`);
      expect(findSecretRefs({ content: string, [string]: [string] })).toEqual([]);
    },
  );

  it('does not look at values again', () => {
    expect(reveal(text`${DB}`, () => '\u27e6secret:other\u27e7{"$secret":"other"}')).toBe(
      '\u27e6secret:other\u27e7{"$secret":"other"}',
    );
  });

  it('refuses what is no text', () => {
    for (const value of [5, null, {}, DB, [5], [null], [[DB]], [{ $secret: 5 }], [{ $secret: 'db', also: 1 }]])
      expect(() => reveal(value as Text, lookup)).toThrow(TypeError);
  });
});

it('takes nothing for a reference but an object with that one key', () => {
  expect(isSecretRef(DB)).toBe(true);
  for (const value of [{ $secret: 5 }, { $secret: 'db', also: 1 }, {}, [DB], 'db', null, undefined])
    expect(isSecretRef(value)).toBe(false);
});

describe('hasSecretMarkers', () => {
  const former = { title: 'Write /x', file: { path: '/x', content: 'a \u27e6secret:generated/w/shop/redis.password\u27e7\n' } };

  it.each<[string, unknown]>([
    ['a step', former],
    ['a step in a plan', { operations: [{ compensations: [{ undo: 'host-steps', steps: [{ title: 'x' }, former] }] }] }],
    ['an environment', { run: 'x', env: { PASSWORD: '\u27e6secret:db\u27e7' } }],
    ['a key', { '\u27e6secret:db\u27e7': 1 }],
    ['a text', '\u27e6secret:db\u27e7'],
  ])('finds the former marker in %s', (_, value) => expect(hasSecretMarkers(value)).toBe(true));

  it.each<[string, unknown]>([
    ['references', { content: text`a ${DB}`, config: { password: DB } }],
    ['other text', ['\u27e6secret\u27e7', '\u27e6secret:\u27e7', 'secret:db', '\u27e6secret:a b\u27e7']],
    ['nothing', undefined],
    ['no text', { a: [1, null, true] }],
  ])('finds none in %s', (_, value) => expect(hasSecretMarkers(value)).toBe(false));

  it('takes a value of any depth', () => {
    let deep: unknown = former;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(hasSecretMarkers(deep)).toBe(true);
  });
});
