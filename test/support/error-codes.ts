import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';

const root = resolve(import.meta.dirname, '../..');

/** Where a code of an error stands: as such, or first in what one of the helpers is given. */
const CODES = [/\bcode: '([a-z][a-z0-9-]+)'/g, /\b(?:transient|refusal|refuse|failed)\([^'\n]*'([a-z][a-z0-9]*(?:-[a-z0-9]+)+)'/g];
/** Names of values, not of errors. */
const NONE = new Set(['custom']);
/** What makes an error, and the code in what it is given. */
const THROWN = /\b(inputError|unreachableError|absentError|bugError)\(\s*\{(?:(?!Error\()[^;]){0,200}?\bcode: '([a-z][a-z0-9-]+)'/g;

/** The sources of the project with what stands in them, without tests and benches. */
async function sources(): Promise<{ path: string; source: string }[]> {
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: root });
  const paths = stdout.split('\n').filter((path) => !/\.test\.ts$|^(?:test|bench)\//.test(path));
  return Promise.all(paths.map(async (path) => ({ path, source: await readFile(resolve(root, path), 'utf8').catch(() => '') })));
}

/** The codes of errors that the sources write as they are, each where it stands. */
export async function writtenCodes(): Promise<{ path: string; code: string }[]> {
  return (await sources())
    .flatMap(({ path, source }) => CODES.flatMap((form) => [...source.matchAll(form)].map(([, code = '']) => ({ path, code }))))
    .filter(({ code }) => !NONE.has(code));
}

/** The codes that the sources give to `inputError` and its like, with which of them. */
export async function thrownCodes(): Promise<{ path: string; made: string; code: string }[]> {
  return (await sources()).flatMap(({ path, source }) =>
    [...source.matchAll(THROWN)].map(([, made = '', code = '']) => ({ path, made, code })),
  );
}
