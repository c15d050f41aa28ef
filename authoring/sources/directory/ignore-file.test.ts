import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFolder } from '../../../definition/source/beneath.js';
import { fc } from '../../../test/support/fast-check.js';
import { parseGlob } from './glob.js';
import { ignoreFile } from './ignore-file.js';
import { IgnoreFiles } from './ignore-files.js';
import { Walk } from './walk.js';

const FILES = [
  'a',
  'b.js',
  'é',
  'a.b',
  'aa',
  'abb',
  '#x',
  '!y',
  'sp ',
  '-',
  'B',
  '[',
  'a]',
  'a*',
  'x:',
  '\\a',
  '\u0001',
  '\u000b',
  '\t',
  'd/a',
  'd/b.js',
  'd/e/a',
  'd/e/f/b.js',
  'd/e/ab',
  'd/e/f/d/a',
  'out/a',
  'out/keep',
  'd/out/a',
];
const CLASSES = 'alnum alpha blank cntrl digit graph lower print punct space upper xdigit none constructor'.split(' ');
/** Converts a text to bytes, one per character. */
const bytes = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'd', 'e', 'out', '.js', '.', 'ab', bytes('é'), '\\a', '-', ':', 'B') },
  { weight: 4, arbitrary: fc.constantFrom('*', '?', '**', '***', 'b*', '*b', '**/', '/**/', '/**', '/*', '\\*', '\\/', '\\', '[') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[ab]',
      '[!a]',
      '[^a]',
      '[a-c]',
      '[a-]',
      '[-a]',
      '[]a]',
      '[!]a]',
      '[\\]a]',
      '[a\\-c]',
      '[\\a-c]',
      '[c-a]',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('[[:]', '[[:a]', '[[:alpha]', '[[::]]', '[a[:digit:]-z]', '[/]', '[!/]', '[--.]', '[\\', '[a-'),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('[[:', '[![:'), fc.constantFrom(...CLASSES)).map(([head, name]) => `${head}${name}:]]`),
  },
  // One character in UTF-8, an invalid one, and characters that end a line or a file elsewhere.
  { weight: 1, arbitrary: fc.constantFrom('\u00c3', '\u00a9', '\u00ff', '[\u0080-\u00ff]', '\0', '\r', '\u001a', '\t', ' ') },
);
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '', '', '', '!', '/', '#', '\\#', '\\!', '!!', ' '),
    fc.array(fc.oneof({ weight: 4, arbitrary: part }, fc.constant('/')), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', '', '', '', '/', '/', ' ', '  ', '\\ ', '\\  ', '\\\\ ', '\r', '\\', '\t', ' \r'),
  )
  .map(([head, parts, tail]) => head + parts.join('') + tail);
const rules = fc
  .tuple(
    fc.constantFrom('', '', '', '\u00ef\u00bb\u00bf'),
    fc.array(pattern, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('\n', '\n', '\r\n'),
  )
  .map(([mark, lines, end]) => mark + lines.join(end));

/** Workspaces per start of Git, which is started twice for each group. */
const AT_ONCE = 50;
const BATCHES = process.env.LONG === '1' ? Number(process.env.BATCHES ?? 400) : 4;

describe('what .gitignore files leave out', () => {
  let folder = '';
  const own = (index: number) => join(folder, `c${index}`);
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ignore-')));
    execFileSync('git', ['init', '-q'], { cwd: folder });
    for (let index = 0; index < AT_ONCE; index += 1)
      for (const path of FILES) {
        mkdirSync(dirname(join(own(index), path)), { recursive: true });
        writeFileSync(join(own(index), path), '');
      }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const taken = (source: string): string[] => {
    const top = openFolder(source);
    const ignores = new IgnoreFiles();
    const files = new Walk(ignores, { isNamed: () => true }).take(top, ignores.above(source, folder));
    closeSync(top.fd);
    return files.map(({ path }) => String(path)).sort();
  };
  const git = (args: string[], input = ''): string[] =>
    spawnSync('git', ['-C', folder, '-c', 'core.excludesFile=/dev/null', ...args], { encoding: 'utf8', input })
      .stdout.split('\0')
      .filter(Boolean);
  const below = (paths: readonly string[], above: string): string[] =>
    paths.filter((path) => path.startsWith(`${above}/`)).map((path) => path.slice(above.length + 1));

  test('is what Git leaves out, for generated patterns at two levels and in a folder below', () => {
    let left = 0;
    let folders = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(rules, rules), { minLength: AT_ONCE, maxLength: AT_ONCE }), (drawn) => {
        for (const [index, [first, second]] of drawn.entries()) {
          writeFileSync(join(own(index), '.gitignore'), first, 'latin1');
          writeFileSync(join(own(index), 'd/.gitignore'), second, 'latin1');
        }
        const listed = git(['ls-files', '-z', '--others', '--exclude-standard']).sort();
        const outside = git(['check-ignore', '-z', '--stdin'], drawn.map((_, index) => `c${index}/d\0`).join(''));
        for (const [index, sets] of drawn.entries()) {
          const byGit = below(listed, `c${index}`);
          const found = taken(own(index));
          if (found.length < FILES.length + 2) left += 1;
          expect([sets, found]).toEqual([sets, byGit]);
          // A named folder is included, even if a folder above excludes it.
          if (outside.includes(`c${index}/d`)) continue;
          folders += 1;
          expect([sets, taken(join(own(index), 'd'))]).toEqual([sets, below(byGit, 'd')]);
        }
      }),
      { numRuns: BATCHES, endOnFailure: true },
    );
    expect(left).toBeGreaterThan(40);
    expect(folders).toBeGreaterThan(40);
  });

  // Behavior of Git that gitignore(5) does not describe.
  test.each([
    ['a***/**\na', 'a.b', true],
    ['d/e**/b.js', 'd/e/f/b.js', true],
    ['x**/a', 'x/y/a', true],
    ['[[:]', ':', true],
    ['[[:constructor:]]', 'c', false],
    ['[[:space:]]', '\u000b', false],
    ['a\0b', 'a', true],
  ])('%j leaves out %j: %s', (text, path, isLeftOut) => {
    expect(ignoreFile(text).verdictOf(path, false)).toBe(isLeftOut ? 'ignored' : undefined);
  });

  test('is found in the same time whatever a pattern is like', () => {
    const glob = parseGlob(`${'*a'.repeat(60)}*b`, true);
    expect(glob?.('a'.repeat(3_000))).toBe(false);
    expect(parseGlob(`${'**/a/'.repeat(30)}b`, true)?.('a/'.repeat(300))).toBe(false);
  });

  test('is not looked for without end: too many patterns for so many files are an error', () => {
    const ignores = new IgnoreFiles();
    const file = ignoreFile('*.x\n'.repeat(60_000));
    expect(() => {
      for (let index = 0; index < 1_000; index += 1) ignores.leavesOut(`f${index}`, false, [{ file, above: '' }]);
    }).toThrow('too many patterns');
  });
});
