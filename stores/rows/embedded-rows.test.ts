import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbeddedRows } from './embedded-rows.js';

const FIRST = () => ['create table things (name text primary key)'];
const SECOND = () => ['alter table things add column size integer'];
const failing = (code: string) => expect.objectContaining({ details: expect.objectContaining({ code }) });

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  path = join(folder, 'rows');
});
afterEach(() => rm(folder, { recursive: true }));

test('rows are brought to the newest version once, and a former version does not open them', async () => {
  const first = await openEmbeddedRows(path, [FIRST]);
  await first.run('add', CompiledQuery.raw('insert into things (name) values (?)', ['a']));
  await first.close();
  const second = await openEmbeddedRows(path, [FIRST, SECOND]);
  expect(await second.run('read', CompiledQuery.raw('select * from things'))).toEqual([{ name: 'a', size: null }]);
  await second.close();
  await expect(openEmbeddedRows(path, [FIRST])).rejects.toEqual(failing('store-newer'));
});

test('a migration that fails leaves the rows as they were', async () => {
  const broken = () => ['create table more (name text)', 'this is no statement'];
  await (await openEmbeddedRows(path, [FIRST])).close();
  await expect(openEmbeddedRows(path, [FIRST, broken])).rejects.toThrow(/open the rows/);
  const again = await openEmbeddedRows(path, [FIRST, SECOND]);
  expect(await again.run('read', CompiledQuery.raw('select name from sqlite_master where type = ?', ['table']))).toEqual([
    { name: 'things' },
  ]);
  await again.close();
});

test('a file that has no rows is refused', async () => {
  await writeFile(path, 'this is a text, and no database at all'.repeat(100));
  await expect(openEmbeddedRows(path, [FIRST])).rejects.toThrow(/open the rows/);
});

test('a statement that comes again sees what others changed meanwhile: rows, and columns', async () => {
  const [rows, other] = [await openEmbeddedRows(path, [FIRST]), await openEmbeddedRows(path, [FIRST])];
  const read = () => rows.run('read', CompiledQuery.raw('select * from things'));
  expect(await read()).toEqual([]);
  await other.run('add', CompiledQuery.raw('insert into things (name) values (?)', ['a']));
  expect(await read()).toEqual([{ name: 'a' }]);
  const newer = await openEmbeddedRows(path, [FIRST, SECOND]);
  expect(await read()).toEqual([{ name: 'a', size: null }]);
  for (const one of [rows, other, newer]) await one.close();
});

test('a statement that failed works when it comes again, and leaves nothing locked', async () => {
  const [rows, other] = [await openEmbeddedRows(path, [FIRST]), await openEmbeddedRows(path, [FIRST])];
  const add = (of: typeof rows, name: string) =>
    of.run('add', CompiledQuery.raw('insert into things (name) values (?) returning name', [name]));
  await add(rows, 'a');
  await expect(add(rows, 'a')).rejects.toThrow(/UNIQUE/);
  expect(await add(other, 'b')).toEqual([{ name: 'b' }]);
  expect(await add(rows, 'c')).toEqual([{ name: 'c' }]);
  for (const one of [rows, other]) await one.close();
});
