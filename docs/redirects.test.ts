import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const here = resolve(import.meta.dirname, '..');
/** Former places of pages, by path: links from outside name them. */
const REDIRECTS = JSON.parse(readFileSync(join(import.meta.dirname, 'redirects.json'), 'utf8')) as Record<string, string>;
const FOLDERS = ['start', 'use', 'operate', 'reference', 'extend', 'contribute'];

test('a former place of a page leads to a page, and has none itself', () => {
  const wrong = Object.entries(REDIRECTS).filter(([from, to]) => existsSync(join(here, from)) || !existsSync(join(here, to)));
  expect(wrong).toEqual([]);
  expect(Object.keys(REDIRECTS).length).toBeGreaterThan(50);
});

describe.each(FOLDERS)('docs/%s', (folder) => {
  const index = readFileSync(join(import.meta.dirname, folder, 'README.md'), 'utf8');

  test('has an index that names each of its pages', () => {
    const pages = readdirSync(join(import.meta.dirname, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([]);
    expect(index.trim().split('\n').length).toBeLessThanOrEqual(12);
  });
});
