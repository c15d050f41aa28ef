import { describe, expect, test } from 'vitest';
import { inputsOf } from './inputs.js';
import { carriesData, type ModuleGraph, meaningOf } from './module-graph.js';
import { isPackages } from './packages.js';

const graphOf = (edges: Record<string, string[]>, data: string[] = []): ModuleGraph => ({
  imports: (path) => (edges[path] ?? []).filter((one) => !isPackages(one)),
  packages: (path) => (edges[path] ?? []).filter(isPackages),
  carriesData: (path) => data.includes(path),
  hash: async (path) => path,
});

const inputs = (graph: ModuleGraph, ran: string[], loaded: string[] = [], opened: string[] = []) =>
  inputsOf('test/a.test.ts', { ran, opened }, new Set(loaded), graph).filter((path) => !/^(npm:\*|scripts\/)/.test(path));

describe('inputs of a test are', () => {
  test('itself, what it imports of tests, and what ran', () => {
    const graph = graphOf({ 'test/a.test.ts': ['test/b.ts'], 'test/b.ts': ['test/c.ts', 'core/not-run.ts'] });
    expect(inputs(graph, ['core/ran.ts'])).toEqual(['core/ran.ts', 'test/a.test.ts', 'test/b.ts', 'test/c.ts']);
  });

  test('what the test file itself imports: its record may be older than the import', () => {
    const graph = graphOf({ 'test/a.test.ts': ['core/new.ts'], 'core/new.ts': ['core/further.ts'] });
    expect(inputs(graph, [])).toEqual(['core/new.ts', 'test/a.test.ts']);
  });

  test('tables that a module which ran imports, and what these are made of', () => {
    const graph = graphOf({ 'core/ran.ts': ['core/table.ts', 'core/functions.ts'], 'core/table.ts': ['core/more.ts'] }, [
      'core/table.ts',
      'core/more.ts',
    ]);
    expect(inputs(graph, ['core/ran.ts'])).toEqual(['core/more.ts', 'core/ran.ts', 'core/table.ts', 'test/a.test.ts']);
  });

  test('functions that run while a table is loaded', () => {
    const graph = graphOf({ 'core/ran.ts': ['core/table.ts'], 'core/table.ts': ['core/helper.ts'] }, ['core/table.ts']);
    expect(inputs(graph, ['core/ran.ts'], ['core/helper.ts'])).toContain('core/helper.ts');
    expect(inputs(graph, ['core/ran.ts'])).not.toContain('core/helper.ts');
  });

  test('those of a generated list of which a function ran: a new method makes no proof stale', () => {
    const graph = graphOf(
      {
        'app/dispatch.ts': ['app/methods.generated.ts'],
        'app/methods.generated.ts': ['app/methods/ran.ts', 'app/methods/new.ts'],
        'app/methods/ran.ts': ['app/schemas/of-ran.ts'],
      },
      ['app/methods.generated.ts', 'app/methods/ran.ts', 'app/methods/new.ts', 'app/schemas/of-ran.ts'],
    );
    expect(inputs(graph, ['app/dispatch.ts', 'app/methods/ran.ts'])).toEqual([
      'app/dispatch.ts',
      'app/methods/ran.ts',
      'app/schemas/of-ran.ts',
      'test/a.test.ts',
    ]);
  });

  test('all that modules of workspaces are compiled with, if one runs: in QuickJS nothing reports', () => {
    const graph = graphOf({ 'sdk/module/index.ts': ['sdk/a.ts'], 'sdk/a.ts': ['core/b.ts'] });
    expect(inputs(graph, ['modules/run.ts'])).toEqual(expect.arrayContaining(['sdk/module/index.ts', 'sdk/a.ts', 'core/b.ts']));
    expect(inputs(graph, ['core/ran.ts'])).toEqual(['core/ran.ts', 'test/a.test.ts']);
  });

  test('packages that a module imports which belongs to them, and no others', () => {
    const graph = graphOf({ 'core/ran.ts': ['npm:zod', 'core/not-run.ts'], 'core/not-run.ts': ['npm:pg'] });
    expect(inputs(graph, ['core/ran.ts'])).toEqual(['core/ran.ts', 'npm:zod', 'test/a.test.ts']);
  });

  test('files that it opened and the names beside them, but no proofs and nothing that is generated', () => {
    const opened = [
      'docs/a.md',
      'test/proofs/proofs.json',
      'taskservs/proofs.json',
      'taskservs/registry.generated.ts',
      'cli/commands.ts',
    ];
    expect(inputs(graphOf({}), [], [], opened)).toEqual(['docs/', 'docs/a.md', 'test/a.test.ts']);
  });
});

describe('the meaning of a module', () => {
  const original = "import { a } from '../x/a.js';\n/** About. */\nexport const b = (n: number) => a(n) + 1; // more\n";

  test.each([
    ['comments', "import { a } from '../x/a.js';\nexport const b = (n: number) => a(n) + 1;\n"],
    ['layout', "import { a } from '../x/a.js';\nexport const b =\n  (n: number) =>\n    a(n) + 1;\n"],
    ['types', "import { a } from '../x/a.js';\nimport type { T } from './t.js';\nexport const b = (n: T) => a(n) + 1;\n"],
    ['the folder of an import', "import { a } from '../../y/x/a.js';\nexport const b = (n: number) => a(n) + 1;\n"],
  ])('is the same with other %s', async (_, other) => expect(await meaningOf(other)).toBe(await meaningOf(original)));

  test.each([
    ['operator', "import { a } from '../x/a.js';\nexport const b = (n: number) => a(n) - 1;\n"],
    ['file that is imported', "import { a } from '../x/c.js';\nexport const b = (n: number) => a(n) + 1;\n"],
    ['name that is imported', "import { c as a } from '../x/a.js';\nexport const b = (n: number) => a(n) + 1;\n"],
  ])('is another with another %s', async (_, other) => expect(await meaningOf(other)).not.toBe(await meaningOf(original)));
});

test.each([
  ['export function a() {}', false],
  ['export const a = () => 1;', false],
  ['export interface A {}\nexport type B = A;', false],
  ["import { b } from './b.js';\nexport const a = () => b();", false],
  ['export const a = [1];', true],
  ['export const a = z.object({});', true],
  ["export * from './b.js';", true],
  ["export { b } from './b.js';", true],
  ["export type { B } from './b.js';", false],
  ['export class A { x = 1 }', true],
  ['main();', true],
])('%s carries data: %s', (text, expected) => expect(carriesData(text)).toBe(expected));
