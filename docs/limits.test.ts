import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { BOUNDS } from '../authoring/sources/bounds.js';
import { LIMITS, sizeText } from '../core/limits.js';

/** Counted, not measured in bytes. */
const COUNTS = new Set([
  ...[
    'includes',
    'fileParts',
    'fileDepth',
    'tomlSigns',
    'typescriptSeconds',
    'toolSeconds',
    'evaluationSeconds',
    'moduleSeconds',
    'problems',
    'servers',
    'taskservs',
    'batchFiles',
    'operations',
    'batchNames',
    'bundleFiles',
    'artifactEntries',
    'treeFiles',
    'argument',
    'changes',
  ],
]);

test('docs/reference/limits.md lists each limit with its figure', async () => {
  const page = await readFile(resolve(import.meta.dirname, 'reference/limits.md'), 'utf8');
  const rows = [...page.matchAll(/^\|[^|]+\| *([^|]+?) *\| *`(\w+)` *\|$/gm)].map(([, figure, name]) => [name, figure]);
  const limits = Object.entries(LIMITS).map(([name, limit]) => [name, COUNTS.has(name) ? String(limit) : sizeText(limit)]);
  expect(rows.sort()).toEqual(limits.sort());
});

test('docs/reference/limits.md lists each bound of a source with its figure', async () => {
  const page = await readFile(resolve(import.meta.dirname, 'reference/limits.md'), 'utf8');
  const rows = [...page.matchAll(/^\|[^|]+\| *([^|]+?) *\| *`BOUNDS\.(\w+)` *\|$/gm)].map(([, figure, name]) => [name, figure]);
  const bounds = Object.entries(BOUNDS).map(([name, bound]) => [name, name === 'seconds' ? String(bound) : sizeText(bound)]);
  expect(rows.sort()).toEqual(bounds.sort());
});
