import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { type ProductText, productTexts, textsOfModule, textsOfPage } from '../test/support/product-texts.js';

const here = resolve(import.meta.dirname, '..');

/**
 * Texts that are always allowed: values that keep their form (docs/reference/wire-names.md), and names of third
 * parties.
 */
const ALLOWED = [
  // The blame of a transient error, and the failure that a demo account simulates.
  /['"`]weather['"`]|demo-weather/g,
  // Contents of files on hosts, and what a script prints there: another text would change them.
  /changes by hand are taken back|the change was taken back/g,
  // A field of a step, and files of a journal.
  /(?<=[.|])revert\b|\brevert: |\bconst revert =|, revert \}|`revert`|\breverted(?=\.)/g,
  // A state in `status --json`, a word in the recap of Ansible.
  /'unreachable'|\bunreachable=/g,
  // Returned to service: what undrain does.
  /\b[Pp]uts? (?:it )?back into service/g,
];

/**
 * Pages that may have any word. The tables of the glossary and the style guide, and their test, name the words.
 * Decisions are records of their day.
 */
const EXEMPT = /^docs\/(?:reference\/glossary\.md|reference\/wire-names\.md|contribute\/style\.md|words\.test\.ts|decisions\/)/;

/** Returns the words in the right column of the glossary. */
async function replacedWords(): Promise<string[]> {
  const glossary = await readFile(resolve(here, 'docs/reference/glossary.md'), 'utf8');
  const table = /<!-- words -->(.*)<!-- \/words -->/s.exec(glossary)?.[1] ?? '';
  const columns = table.split('\n').map((line) => line.split('|')[2] ?? '');
  return columns.flatMap((column) => [...column.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word));
}

/** Each line of a text with a replaced word in it, as `word: line`. Words may be broken over two lines of a comment. */
function findWords(text: string, words: readonly string[]): string[] {
  const plain = ALLOWED.reduce((rest, allowed) => rest.replace(allowed, ''), text);
  const gap = String.raw`(?: |\s*\n\s*(?:\*|//)? *)`;
  const either = words.map((word) => word.replaceAll(' ', gap)).join('|');
  return [...plain.matchAll(new RegExp(`(?<![\\w-])(?:${either})(?![\\w-])`, 'gi'))].map(({ 0: word, index }) => {
    const line = plain.slice(plain.lastIndexOf('\n', index) + 1, plain.indexOf('\n', index + word.length) >>> 0);
    return `${word}: ${line.trim().slice(0, 160)}`;
  });
}

test('a replaced word is found in prose, in a name and over two lines; values on the wire are not', async () => {
  const words = await replacedWords();
  expect(words.length).toBeGreaterThan(30);
  expect(findWords('// the operation is taken back\n', words)).toEqual(['taken back: // the operation is taken back']);
  expect(findWords(' * it is taken\n * back by\n', words)).toHaveLength(1);
  expect(findWords('const takeBack = 1;', words)).toHaveLength(1);
  expect(findWords('The host is unreachable.', words)).toHaveLength(1);
  expect(findWords("if (blame === 'weather') throw unreachableError({ code: 'host-unreachable' });", words)).toEqual([]);
  expect(findWords('It is rolled back, and begun again.', words)).toEqual([]);
});

test('no replaced word stands in code, help or docs', async () => {
  const words = await replacedWords();
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.md', '*.tmpl', '*.yml'], {
    cwd: here,
  });
  const paths = stdout.split('\n').filter((path) => !EXEMPT.test(path));
  expect(paths.length).toBeGreaterThan(1_000);
  const found = await Promise.all(
    paths.map(async (path) =>
      findWords(await readFile(resolve(here, path), 'utf8').catch(() => ''), words).map((one) => `${path}: ${one}`),
    ),
  );
  expect(found.flat()).toEqual([]);
});

const texts = await productTexts(here);

interface Pattern {
  name: string;
  expression: RegExp;
}

/** The rows of the table of patterns in docs/contribute/style.md. */
async function patterns(): Promise<Pattern[]> {
  const page = await readFile(resolve(here, 'docs/contribute/style.md'), 'utf8');
  const table = /<!-- patterns -->(.*)<!-- \/patterns -->/s.exec(page)?.[1] ?? '';
  return [...table.matchAll(/^\| ([^|]+) \|.*\| `(.+)` \|$/gm)].map(([, name = '', expression = '']) => ({
    name,
    expression: new RegExp(expression.replaceAll('\\|', '|')),
  }));
}

/** Returns the findings of the style guide in texts, as `path:line: pattern: text`. */
const findPatterns = (texts: readonly ProductText[], all: readonly Pattern[]): string[] =>
  texts.flatMap(({ path, line, text }) =>
    all.filter(({ expression }) => expression.test(text)).map(({ name }) => `${path}:${line}: ${name}: ${text}`),
  );

test('each pattern finds its own example, and not what is to be written instead', async () => {
  const all = await patterns();
  expect(all.length).toBeGreaterThan(10);
  const long = `${'word '.repeat(26)}end`;
  const before = [
    'Who submits a definition reads these',
    'Stop a batch; of one that has ended, the rest',
    'what it finds, where it has any',
    'the workspace has a file; there is none',
    'somebody removed it',
    'the caller is told until when',
    'goes on there, be it after days',
    'accepts TLS alone',
    'the host is to have it',
    'attributes of entities of infras',
    'So are hidden names',
    long,
  ];
  for (const [at, text] of before.entries())
    expect(
      all.filter(({ expression }) => expression.test(text)),
      text,
    ).toEqual([all[at]]);
  const after = [
    'What is a taskserv?',
    'one of two, of which the first',
    'leave it alone',
    'the host of its own',
    'Clients that may query',
  ];
  for (const text of after)
    expect(
      all.filter(({ expression }) => expression.test(text)),
      text,
    ).toEqual([]);
});

test('texts are found in properties, branches, templates and calls, and in the prose of pages', () => {
  const source = `
    export const field = z.string().describe('What is told of it');
    const why = gone ? \`the server "\${name}" is gone\` : 'it is there';
    throw inputError({ code: 'no-name', what: 'find the name', on: 'not a text', why: list.map(quote).join(' and '), hint: ['run it', 'or not'].join(' ') });
  `;
  const texts = textsOfModule('core/one.ts', source);
  expect(texts.map(({ family, text }) => `${family}: ${text}`)).toEqual([
    'fields: What is told of it',
    'errors: the server "…" is gone',
    'errors: it is there',
    'errors: find the name',
    'errors: run it',
    'errors: or not',
  ]);
  const page =
    '# What is here\n\nOne `code word` here. Two [links to it](x.md).\n\n```sh\nnot this one\n```\n\n| a cell | and another |\n| --- | --- |\n';
  expect(textsOfPage('docs/use/a.md', 'guides', page).map(({ line, text }) => `${line}: ${text}`)).toEqual([
    '3: One `code` here.',
    '3: Two links to it.',
    '9: a cell',
    '9: and another',
  ]);
});

test('no text has a pattern that the style guide replaces', async () => {
  const all = await patterns();
  for (const family of ['help', 'errors', 'fields'] as const)
    expect(texts.filter((one) => one.family === family).length, family).toBeGreaterThan(800);
  expect(findPatterns(texts, all)).toEqual([]);
});
