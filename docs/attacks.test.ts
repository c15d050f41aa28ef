import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const here = resolve(import.meta.dirname, '..');
const PAGE = 'docs/contribute/attacks-of-the-api.md';

/** Rows of the first table: an attack, and the tests that it names. */
const text = await readFile(resolve(here, PAGE), 'utf8');
const [table = ''] = text.split(/^## /m);
const rows = [...table.matchAll(/^\| (?!attack|---)(.+?) \| .+ \| (.+?) \|$/gm)].map(([, attack = '', tests = '']) => [
  attack,
  tests,
]);

test('the page has the attacks', () => expect(rows.length).toBeGreaterThan(20));

describe.each(rows)('%s', (_, tests = '') => {
  test('has tests that exist, under the names of the page', async () => {
    const named = [...tests.matchAll(/`([^`]+\.test\.ts)`|\*([^*]+)\*/g)];
    expect(named.some(([, file]) => file !== undefined)).toBe(true);
    let source = '';
    for (const [, file, name] of named) {
      if (file !== undefined) {
        expect([file, existsSync(resolve(here, file))]).toEqual([file, true]);
        source = await readFile(resolve(here, file), 'utf8');
      } else {
        // The names of tests, and of cases in a table of them.
        const titles = [...source.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)].map(([, , title = '']) => title);
        expect([name, titles.some((title) => title.includes(name as string))]).toEqual([name, true]);
      }
    }
  });
});
