import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const here = resolve(import.meta.dirname, '..');
const read = (path: string) => readFile(resolve(here, path), 'utf8');

/** Where a code of an error stands: as such, or first in what one of the helpers is given. */
const CODES = [/\bcode: '([a-z][a-z0-9-]+)'/g, /\b(?:transient|refusal|refuse|failed)\([^'\n]*'([a-z][a-z0-9]*(?:-[a-z0-9]+)+)'/g];
/** Names of values, not of errors. */
const NONE = new Set(['custom']);

test('each code of an error has a line in docs/guides/troubleshooting.md', async () => {
  const page = await read('docs/guides/troubleshooting.md');
  const explained = new Set([...page.matchAll(/`([a-z][a-z0-9-]+)`/g)].map(([, code]) => code));
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: here });
  const sources = stdout.split('\n').filter((path) => !/\.test\.ts$|^(?:test|bench)\//.test(path));
  const found = await Promise.all(
    sources.map(async (path) => {
      const source = await read(path).catch(() => '');
      return CODES.flatMap((form) => [...source.matchAll(form)].map(([, code = '']) => ({ path, code })));
    }),
  );
  const codes = found.flat().filter(({ code }) => !NONE.has(code));
  expect(codes.length).toBeGreaterThan(150);
  expect(codes.filter(({ code }) => !explained.has(code))).toEqual([]);
});
