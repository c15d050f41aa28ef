import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputsOf } from './inputs.js';
import { moduleGraph } from './module-graph.js';
import { namesImported, reExportsOf } from './re-exports.js';

const FILES = {
  'package-lock.json': '{"packages":{}}',
  'list.ts':
    "export type { T } from './used.js';\nexport { used, other as renamed } from './used.js';\nexport { TABLE } from './table.js';\n",
  'used.ts': 'export interface T {}\nexport const used = () => 1;\nexport const other = () => 2;\n',
  'table.ts': 'export const TABLE = [1];\n',
  'a.test.ts': "import { used } from './list.js';\nused();\n",
  'b.test.ts': "import { TABLE } from './list.js';\nTABLE.at(0);\n",
  'c.test.ts': "import * as list from './list.js';\nlist.used();\n",
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 're-exports-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text);
});
afterAll(() => rmSync(root, { recursive: true }));

/** Returns the hashes of a test's inputs with this list. */
async function inputsWith(file: string, list: string): Promise<Map<string, string>> {
  writeFileSync(join(root, 'list.ts'), list);
  const graph = await moduleGraph(root, Object.keys(FILES), ['a.test.ts', 'b.test.ts', 'c.test.ts']);
  const inputs = inputsOf(file, { ran: [file], opened: [] }, new Set(), graph).filter((one) => !/^(scripts\/|npm:)/.test(one));
  return new Map(await Promise.all(inputs.map(async (one): Promise<[string, string]> => [one, await graph.hash(one)])));
}

const LIST = FILES['list.ts'];

test.each([
  ['a.test.ts', ['a.test.ts', 'list.ts#used']],
  ['b.test.ts', ['b.test.ts', 'list.ts#TABLE', 'table.ts']],
  ['c.test.ts', ['c.test.ts', 'list.ts', 'table.ts']],
])('%s depends on %j', async (file, expected) => expect([...(await inputsWith(file, LIST)).keys()]).toEqual(expected));

test.each([
  ['another name is added', `${LIST}export { other } from './used.js';\n`, ['c.test.ts']],
  ['another name leads elsewhere', LIST.replace('other as renamed', 'used as renamed'), ['c.test.ts']],
  ['the name leads to another function', LIST.replace('{ used, other', '{ other as used, other'), ['a.test.ts', 'c.test.ts']],
  [
    'the name leads to another module',
    LIST.replace("TABLE } from './table.js'", "TABLE } from './used.js'"),
    ['b.test.ts', 'c.test.ts'],
  ],
  ['a type is taken away', LIST.replace(/.*\n/, ''), []],
])('if %s, a proof is stale of just those that use it', async (_, list, expected) => {
  const changed: string[] = [];
  for (const file of ['a.test.ts', 'b.test.ts', 'c.test.ts']) {
    const before = [...(await inputsWith(file, LIST)).values()].sort();
    const after = [...(await inputsWith(file, list)).values()].sort();
    if (before.join() !== after.join()) changed.push(file);
  }
  expect(changed).toEqual(expected);
});

test.each([
  ["export { a } from './b.js';", ['a']],
  ["export { a as b, type C } from './b.js';\nexport type { D } from './d.js';", ['b']],
  ["export * from './b.js';", undefined],
  ["export * as b from './b.js';", undefined],
  ["export { a } from './b.js';\nexport const c = 1;", undefined],
  ["import { a } from './b.js';\nexport { a };", undefined],
  ['', undefined],
])('%j re-exports %j', (text, expected) => {
  const given = reExportsOf(text);
  expect(given && [...given.keys()]).toEqual(expected);
});

test.each<[string, [string, string[] | undefined][]]>([
  ["import { a, type B, c as d } from './x.js';", [['./x.js', ['a', 'c']]]],
  ["import type { B } from './x.js';", [['./x.js', []]]],
  ["import x, { a } from './x.js';", [['./x.js', ['default', 'a']]]],
  ["import * as x from './x.js';\nimport { a } from './x.js';", [['./x.js', undefined]]],
  ["import './x.js';", [['./x.js', undefined]]],
  [
    "export { a } from './x.js';\nexport * from './y.js';",
    [
      ['./x.js', ['a']],
      ['./y.js', undefined],
    ],
  ],
])('%j takes %j', (text, expected) => expect([...namesImported(text)]).toEqual(expected));
