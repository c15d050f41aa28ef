import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { fc } from '../../test/support/fast-check.js';
import { quote, sh } from './shell.js';

const echoed = (words: string) => execFileSync('bash', ['-c', `printf '%s\\0' ${words}`], { encoding: 'utf8' });

it('quotes any text so that a shell reads it back', () => {
  const text = fc.string({ unit: 'binary-ascii' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(text, (text) => {
      expect(echoed(quote(text))).toBe(`${text}\0`);
    }),
    { numRuns: 50 },
  );
});

it('leaves plain words as they are, and quotes the empty one', () => {
  expect(quote('/etc/redis.conf')).toBe('/etc/redis.conf');
  expect(quote('')).toBe("''");
});

it('quotes what is put into a command; an array becomes words', () => {
  expect(sh`echo ${"it's"} ${3} ${['a b', 'c']}`).toBe(`echo 'it'\\''s' 3 'a b' c`);
  expect(echoed(sh`${['$HOME', '`id`', '"']}`)).toBe('$HOME\0`id`\0"\0');
});

it('keeps backslashes of the command itself', () => expect(sh`printf '\n'`).toBe(String.raw`printf '\n'`));
