import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { versionsIn } from '../core/schema/versions/versions-file.js';
import { newestFirst } from '../core/versions/newest-first.js';
import { loadPublishedVersions } from '../core/versions/published.js';
import { taskservs } from './registry.generated.js';

const pathOf = (name: string) => join(import.meta.dirname, name, 'versions.json');

const withVersions = readdirSync(import.meta.dirname).filter((name) => existsSync(pathOf(name)));

/** As the file has them: an object need not keep the order of JSON. */
const written = (text: string): string[] =>
  [...text.matchAll(/^ {2,4}(?:"versions": \{ )?"([0-9][^"]*)": \{/gm)].map(([, name = '']) => name);

describe.each(withVersions)('versions.json of %s', (name) => {
  test('is as its schema says, and names the versions that a definition may ask for', async () => {
    const found = await loadPublishedVersions(taskservs, name);
    if (!found) throw new Error('the registry does not know of it: npm run generate');
    const offered = versionsIn(found).flatMap(([version, { withdrawn }]) => (withdrawn === undefined ? [version] : []));
    expect(taskservs[name]?.versions.supported).toEqual(offered);
  });

  test('has the newest first', () => {
    const names = written(readFileSync(pathOf(name), 'utf8'));
    expect(names.length).toBeGreaterThan(0);
    expect(names).toEqual([...names].sort(newestFirst));
  });
});

test('the registry knows of each of these files, and of no other', () => {
  const known = Object.entries(taskservs).flatMap(([name, { published }]) => (published ? [name] : []));
  expect(known.sort()).toEqual(withVersions.sort());
});
