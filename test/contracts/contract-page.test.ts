import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { providers } from '../../providers/registry.generated.js';
import { CASES } from './provider-contract.js';

const page = await readFile(resolve(import.meta.dirname, '../../docs/reference/clouds/contract.md'), 'utf8');
const rows = page.split('\n').flatMap((line) =>
  line.startsWith('| ')
    ? [
        line
          .slice(2, -2)
          .split(' | ')
          .map((cell) => cell.trim()),
      ]
    : [],
);
const [head = [], , ...body] = rows;

describe('docs/reference/clouds/contract.md', () => {
  test('has a column for each provider', () => expect(head.slice(1)).toEqual(Object.keys(providers).sort()));

  test('has a row for each case, under its kind', () => {
    let kind = '';
    const listed = body.flatMap(([first = '']) => {
      if (!first.startsWith('**')) return [`${kind}: ${first}`];
      kind = first.replaceAll('*', '');
      return [];
    });
    expect(listed.sort()).toEqual(CASES.map((one) => `${one.kind}: ${one.title}`).sort());
  });

  test('says of each case and provider whether it is kept or not offered', () => {
    for (const [title = '', ...marks] of body.filter(([first = '']) => !first.startsWith('**')))
      expect(
        marks.every((mark) => mark === '✓' || mark === '–'),
        title,
      ).toBe(true);
  });
});
