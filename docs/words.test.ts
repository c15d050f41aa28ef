import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const here = resolve(import.meta.dirname, '..');

/** Texts that may stand anywhere, each since it is a value that keeps its form (docs/wire-names.md) or of somebody else. */
const ALLOWED = [
  // The blame of a transient error, and what a demo account is told to fail with.
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

/** Whole pages that may have any word: the glossary's table and its test name them; decisions are records of their day. */
const EXEMPT = /^docs\/(?:glossary\.md|wire-names\.md|words\.test\.ts|decisions\/)/;

/** The words of the right column of the glossary's table. */
async function replacedWords(): Promise<string[]> {
  const glossary = await readFile(resolve(here, 'docs/glossary.md'), 'utf8');
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
