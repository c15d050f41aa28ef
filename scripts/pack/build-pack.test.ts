import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPack, readPack, runPack, thisNode } from '../../cli/start/pack.js';
import { openWorkerPack } from '../../workers/start/worker-pack.js';
import { asFunction, buildPack, packed, removeFormerPack } from './build-pack.js';

const said: unknown[] = [];
Object.assign(globalThis, { __said: said });

const CHUNKS = {
  'cli.js': `import { sum } from './chunks/sum-1.js'; import { basename } from 'node:path';
    globalThis.__said.push(sum(1, 2), import.meta.url, basename('/a/b'));
    import('./chunks/late-1.js').then(({ word, count }) => globalThis.__said.push(word, count()));`,
  'sum-1.js': `export function sum(a, b) { return a + b }; export { rare } from './rare-1.js';`,
  'rare-1.js': `export const rare = 1;`,
  'late-1.js': `import { next } from './counter-1.js'; export const word = 'späte' + /─ (\\w+)/.exec('┌─ here')[1]; export const count = () => { next(); return next() };`,
  'counter-1.js': `export let at = 0; export const next = () => ++at;`,
};

// Each open pack is closed at the end of the process.
process.setMaxListeners(50);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'));
  said.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(codes: Map<string, Buffer>) {
  const texts = new Map<string, string>();
  for (const [name, text] of Object.entries(CHUNKS)) texts.set(name, await asFunction(text));
  const path = join(folder, 'cli.pack');
  await writeFile(path, packed({ of: 'hash' }, texts, codes));
  const pack = openPack(path);
  if (!pack) throw new Error('it was written');
  return pack;
}

const program = () => join(folder, 'cli.js');
// A pattern with characters outside Latin-1 matches them.
const ANSWERS = [3, 'b', 'spätehere', 2];

test('a pack runs as its modules do, with compiled code and without', async () => {
  const bare = await written(new Map());
  expect(bare.index).toMatchObject({ node: thisNode(), of: 'hash' });
  const scripts = runPack(bare, program());
  await expect.poll(() => said.filter((one) => one !== `file://${program()}`)).toEqual(expect.arrayContaining(ANSWERS));
  expect(said).toContain(`file://${program()}`);
  expect([...scripts.keys()].sort()).toEqual(Object.keys(CHUNKS).sort());

  said.length = 0;
  const codes = new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]));
  const again = runPack(await written(codes), program());
  await expect.poll(() => said).toEqual(expect.arrayContaining(ANSWERS));
  expect([...again.values()].map((script) => script.cachedDataRejected)).toEqual(Object.keys(CHUNKS).map(() => false));
});

test('a package that is loaded late is loaded when a name of it is first used', async () => {
  await mkdir(join(folder, 'node_modules/late'), { recursive: true });
  const source = "globalThis.__said.push('loaded'); Object.defineProperty(exports, 'fixed', { enumerable: true, get: () => 1 });";
  await writeFile(join(folder, 'node_modules/late/index.js'), source);
  const run = async (text: string) => {
    said.length = 0;
    const path = join(folder, 'late.pack');
    await writeFile(path, packed({ of: 'hash' }, new Map([['cli.js', await asFunction(text)]]), new Map()));
    const file = openSync(path, 'r');
    runPack(readPack(file, path), program(), { late: (name) => name === 'late' });
    closeSync(file);
    return [...said];
  };
  const used = "globalThis.__said.push('begun', fixed, 'fixed' in all, Object.keys(all));";
  expect(await run("import { fixed } from 'late'; globalThis.__said.push(typeof (() => fixed));")).toEqual(['function']);
  expect(await run("import { fixed } from 'late'; globalThis.__said.push('begun'); globalThis.__said.push(fixed);")).toEqual([
    'begun',
    'loaded',
    1,
  ]);
  expect(await run(`import * as all from 'late'; const { fixed } = all; ${used}`)).toEqual(
    expect.arrayContaining(['begun', 1, true, expect.arrayContaining(['fixed'])]),
  );
});

test('a module outside is the one that another package finds, and may be replaced by a chunk or a value', async () => {
  await mkdir(join(folder, 'node_modules/outer/node_modules/inner'), { recursive: true });
  await writeFile(join(folder, 'node_modules/outer/index.js'), '');
  await writeFile(join(folder, 'node_modules/outer/node_modules/inner/index.js'), "exports.name = 'inner of outer';");
  const chunks = {
    'main.js': `import { name } from 'outer>inner'; import file from 'given:file'; import { late } from '/a/path';
      globalThis.__said.push(name, file, late);`,
    'late.js': `export const late = 'a chunk';`,
  };
  const texts = new Map<string, string>();
  for (const [name, text] of Object.entries(chunks)) texts.set(name, await asFunction(text));
  const path = join(folder, 'one.pack');
  await writeFile(path, packed({ of: 'hash' }, texts, new Map()));
  const pack = openPack(path);
  if (!pack) throw new Error('it was written');
  const replaced = { 'given:file': { value: 'a value' }, '/a/path': { chunk: 'late.js' } };
  runPack(readPack(pack.file, path), program(), { entry: 'main.js', replaced });
  expect(said).toEqual(['inner of outer', 'a value', 'a chunk']);
});

test('a file that is no whole pack is not opened, so that the program starts from its modules', async () => {
  const whole = packed({ of: 'hash' }, new Map([['cli.js', 'a text']]), new Map([['cli.js', Buffer.from('code')]]));
  const path = join(folder, 'some.pack');
  const isOpened = async (bytes: Uint8Array | string) => {
    await writeFile(path, bytes);
    return openPack(path) !== undefined;
  };
  expect(openPack(path)).toBeUndefined();
  expect(await isOpened(whole)).toBe(true);
  for (let size = 0; size < whole.length; size++) expect([size, await isOpened(whole.subarray(0, size))]).toEqual([size, false]);
  const more = Buffer.concat([whole, Buffer.from('more')]);
  const foreign = ['000000000400{', '999999999999{}', '000000000002{}', '000000000004null', 'not a pack at all', '0x0000000002{}'];
  for (const bytes of [more, ...foreign]) expect([bytes, await isOpened(bytes)]).toEqual([bytes, false]);
  expect(openPack(folder)).toBeUndefined();
});

test("the worker's pack is used only with the built code that it belongs to", async () => {
  const path = join(folder, 'worker.pack');
  const isUsed = async (more: { build?: string }) => {
    await writeFile(path, packed({ of: 'hash', ...more }, new Map(), new Map()));
    return openWorkerPack(folder) !== undefined;
  };
  expect(await isUsed({ build: 'first' })).toBe(false);
  await writeFile(join(folder, 'build-id'), 'first\n');
  expect(await isUsed({ build: 'first' })).toBe(true);
  expect(await isUsed({})).toBe(false);
  // An interrupted build wrote its modules and its name, and left the former pack.
  await writeFile(join(folder, 'build-id'), 'second\n');
  expect(await isUsed({ build: 'first' })).toBe(false);
  await writeFile(path, String(await readFile(path, 'latin1')).replace(thisNode(), thisNode().replace(/ \w+ /, ' other ')));
  await writeFile(join(folder, 'build-id'), 'first\n');
  expect(openWorkerPack(folder)).toBeUndefined();
});

test('a pack is written once, has the name of its build, and is removed once its program differs', async () => {
  const target = join(folder, 'worker.pack');
  const packedProgram = { target, chunks: new Map(Object.entries(CHUNKS)), banner: '', runs: [] };
  const indexAfter = async (build?: string) => {
    expect(await buildPack(folder, { ...packedProgram, ...(build !== undefined && { build }) })).toEqual([]);
    return openPack(target)?.index;
  };
  const { of = '' } = (await indexAfter('first')) ?? {};
  const { ino } = await stat(target);
  expect(await indexAfter('first')).toMatchObject({ build: 'first' });
  expect((await stat(target)).ino).toBe(ino);

  const scripts = runPack(await written(new Map()), program());
  const codes = new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]));
  const texts = new Map([...Object.keys(CHUNKS)].map((name) => [name, openPack(target)?.read(name).text ?? '']));
  await writeFile(target, packed({ of, build: 'first' }, texts, codes));
  // The other build has the same chunks, so their compiled code stays.
  expect(await indexAfter('second')).toMatchObject({ of, build: 'second' });
  expect(openPack(target)?.read('cli.js').code).toEqual(codes.get('cli.js'));
  expect(await readdir(folder)).toEqual(['cli.pack', 'worker.pack']);

  await removeFormerPack(folder, packedProgram);
  expect(openPack(target)).toBeDefined();
  await removeFormerPack(folder, { ...packedProgram, chunks: new Map([['cli.js', 'globalThis.other = 1']]) });
  expect(openPack(target)).toBeUndefined();
});
