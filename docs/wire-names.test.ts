import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { createActivities } from '../activities/index.js';
import { VERSION_MEMO } from '../core/engine/workflows-version.js';
import { TRANSIENT } from '../core/errors.js';
import { SEARCH_ATTRIBUTES } from '../core/names.js';
import { SECRET_FORMATS } from '../core/taskserv/encoders/encoders.js';
import { RECORD_KINDS } from '../stores/records.js';

const here = resolve(import.meta.dirname, '..');
const read = (path: string) => readFile(resolve(here, path), 'utf8');
const page = await read('docs/reference/wire-names.md');

/** Returns the list of the page between two marks. */
const part = (name: string) => new RegExp(`<!-- ${name} -->(.*)<!-- /${name} -->`, 's').exec(page)?.[1] ?? '';
const listed = (name: string) => [...part(name).matchAll(/`([^`]+)`/g)].map(([, one = '']) => one).sort();
/** The cells of a table's rows, without its head. */
const rows = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );

/** The sources below some folders, without tests. */
async function sources(...folders: string[]): Promise<[path: string, text: string][]> {
  const paths = folders.map((folder) => `${folder}/*.ts`);
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', ...paths], { cwd: here });
  const own = stdout.split('\n').filter((path) => !path.endsWith('.test.ts'));
  return Promise.all(own.map(async (path): Promise<[string, string]> => [path, await read(path).catch(() => '')]));
}

describe('docs/reference/wire-names.md has what the code has', () => {
  test('types of workflows', async () => {
    const exported = [...(await read('workflows/all.ts')).matchAll(/^export \{ (\w+) \}/gm)].map(([, name = '']) => name);
    expect(listed('workflows')).toEqual(exported.sort());
  });

  test('activities', () => {
    const anything: unknown = new Proxy(() => anything, { get: () => anything, apply: () => anything });
    const dependencies = { providers: {}, taskservs: {}, stores: anything, temporal: anything } as never;
    expect(listed('activities')).toEqual(Object.keys(createActivities(dependencies)).sort());
  });

  test('signals, queries and updates, with their identifiers', async () => {
    const form = /const (\w+) = define(Signal|Query|Update)\b[^(]*(?:<[^(]*>)?\(\s*'(\w+)'/g;
    const defined = (await sources('workflows')).flatMap(([path, text]) =>
      [...text.matchAll(form)].map(([, identifier = '', kind = '', name = '']) => [kind.toLowerCase(), name, identifier, path]),
    );
    expect(defined.length).toBeGreaterThan(20);
    expect(rows(part('messages')).sort()).toEqual(defined.sort());
  });

  test('search attributes, the memo and the blame', () => {
    expect(listed('attributes')).toEqual(Object.values(SEARCH_ATTRIBUTES).sort());
    expect(page).toContain(`Memo: \`${VERSION_MEMO}\``);
    expect(page).toContain(`| \`${TRANSIENT}\` | transient error`);
  });

  test('files on hosts', async () => {
    const text = (await sources('activities/host', 'core/host')).map(([, one]) => one).join('\n');
    const missing = listed('host-files').filter((name) => !new RegExp(`[/.}"'\`]${name}\\b`).test(text));
    expect(missing).toEqual([]);
  });

  test('fields of results', async () => {
    const files = ['core/operation/operation.ts', 'core/operation/to-undo.ts', 'core/host/ran-command.ts'];
    const text = (await Promise.all(files.map(read))).join('\n');
    const missing = listed('result-fields').filter((name) => !new RegExp(`\\b${name}\\??:`).test(text));
    expect(missing).toEqual([]);
  });

  test('kinds of records in backups', () => {
    expect(listed('secret-formats')).toEqual([...SECRET_FORMATS].sort());
    expect(listed('record-kinds')).toEqual([...RECORD_KINDS].sort());
  });

  test('values that differ from the word', async () => {
    const table = rows(page.slice(page.indexOf('## Where'), page.indexOf('## Workflow types')));
    expect(table.length).toBeGreaterThan(5);
    const text = (await sources('core', 'providers', 'taskservs', 'activities')).map(([, one]) => one).join('\n');
    expect(table.map(([value = '']) => value).filter((value) => !text.includes(value))).toEqual([]);
  });
});
