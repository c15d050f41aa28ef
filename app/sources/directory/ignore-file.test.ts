import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFolder } from '../../../definition/source/beneath.js';
import { globOf } from './glob.js';
import { ignoreFile } from './ignore-file.js';
import { IgnoreFiles } from './ignore-files.js';
import { Walk } from './walk.js';

const FILES = [
  'a',
  'b.js',
  'é',
  'a.b',
  '#x',
  '!y',
  'sp ',
  'd/a',
  'd/b.js',
  'd/e/a',
  'd/e/f/b.js',
  'd/e/ab',
  'out/a',
  'out/keep',
  'd/out/a',
];
const part = fc.constantFrom(
  'a',
  'b',
  'd',
  'e',
  'out',
  '*',
  '?',
  '**',
  '.js',
  '.',
  '[ab]',
  '[!a]',
  '[a-c]',
  '[[:alpha:]]',
  '\\a',
  'ab',
  'é',
  '[',
  'b*',
  '***',
);
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '!', '/', '#', '\\#', '\\!'),
    fc.array(fc.oneof({ weight: 3, arbitrary: part }, fc.constant('/')), { minLength: 1, maxLength: 6 }),
    fc.constantFrom('', '', '/', ' ', '\\ ', '\r', '\\'),
  )
  .map(([head, parts, tail]) => head + parts.join('') + tail);
const rules = fc.array(pattern, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));

describe('what .gitignore files leave out', () => {
  let folder = '';
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ignore-')));
    execFileSync('git', ['init', '-q'], { cwd: folder });
    for (const path of FILES) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Of the folder, or of one below it. */
  const taken = (source = folder): string[] => {
    const top = openFolder(source);
    const ignores = new IgnoreFiles();
    const files = new Walk(ignores, { isNamed: () => true }).take(top, ignores.above(source, folder));
    return files.map(({ path }) => String(path)).sort();
  };
  const byGit = (source = folder): string[] => {
    const args = ['-C', source, '-c', 'core.excludesFile=/dev/null', 'ls-files', '-z', '--others', '--exclude-standard'];
    return spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\0').filter(Boolean).sort();
  };

  test('is what Git leaves out, for generated patterns at two levels and in a folder below', () => {
    let left = 0;
    let below = 0;
    fc.assert(
      fc.property(rules, rules, (first, second) => {
        writeFileSync(join(folder, '.gitignore'), first);
        writeFileSync(join(folder, 'd/.gitignore'), second);
        const found = taken();
        if (found.length < FILES.length + 2) left += 1;
        expect(found).toEqual(byGit());
        // A folder that is named is taken, also if it is left out of the one above.
        if (spawnSync('git', ['-C', folder, 'check-ignore', '-q', 'd']).status === 0) return;
        below += 1;
        expect(taken(join(folder, 'd'))).toEqual(byGit(join(folder, 'd')));
      }),
      { numRuns: process.env.LONG === '1' ? 5_000 : 100, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
    );
    expect(left).toBeGreaterThan(15);
    expect(below).toBeGreaterThan(15);
  });

  test('is found in the same time whatever a pattern is like', () => {
    const glob = globOf(`${'*a'.repeat(60)}*b`, true);
    expect(glob?.('a'.repeat(3_000))).toBe(false);
    expect(globOf(`${'**/a/'.repeat(30)}b`, true)?.('a/'.repeat(300))).toBe(false);
  });

  test('is not looked for without end: too many patterns for so many files are an error', () => {
    const ignores = new IgnoreFiles();
    const file = ignoreFile('*.x\n'.repeat(60_000));
    expect(() => {
      for (let index = 0; index < 1_000; index += 1) ignores.leavesOut(`f${index}`, false, [{ file, above: '' }]);
    }).toThrow('too many patterns');
  });
});
