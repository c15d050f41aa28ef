import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const template = join(import.meta.dirname, '../scripts/templates/provider/providers/__NAME__');
const builtIn = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const folders: [name: string, folder: string][] = [
  ...builtIn.map(({ name }): [string, string] => [name, join(import.meta.dirname, name)]),
  ['the template', template],
];

/** Names that a provider may have there, and the required ones: parts that every provider of machines needs. */
const PLAN = {
  '.': {
    needs: 'index config connection plans images networks volumes errors',
    may: 'credentials zones prices firewall backups addresses placement records',
  },
  servers: { needs: 'create describe update delete', may: 'power' },
  account: { needs: 'owned', may: 'others strangers adopt catalog check' },
};
type Part = keyof typeof PLAN;
const PARTS = Object.entries(PLAN).map(([part, { needs, may }]) => ({
  part: part as Part,
  needs: needs.split(' '),
  may: [...needs.split(' '), ...may.split(' ')],
}));

/** Returns the sources directly in a folder, without extensions and tests. */
const sourcesIn = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
    const [, source] = /^(.*)\.ts(?:\.tmpl)?$/.exec(name) ?? [];
    return source === undefined || source.endsWith('.test') ? [] : [source];
  });

/** Returns the deviations of a folder from the plan. */
function faults(folder: string): string[] {
  return PARTS.flatMap(({ part, needs, may }) => {
    const there = sourcesIn(join(folder, part));
    const at = (name: string) => join(part, `${name}.ts`);
    return [
      ...needs.filter((name) => !there.includes(name)).map((name) => `${at(name)} is missing`),
      ...there.filter((name) => !may.includes(name)).map((name) => `${at(name)} is not of the plan`),
    ];
  });
}

describe.each(folders)('%s', (_, folder) => {
  test('has the floor plan of all providers', () => expect(faults(folder)).toEqual([]));

  test('loads its connection, and with it the SDK of its vendor, when it is asked to connect', () => {
    const { sources, packages } = loadedBy(join(folder, 'index.ts'));
    const names = sources.map((path) => path.slice(folder.length + 1));
    expect(names).toContain('plans.ts');
    expect(names.filter((name) => /^(connection|networks|volumes|(servers|account)\/.*)\.ts$/.test(name))).toEqual([]);
    expect(packages.filter((name) => name !== 'zod' && !name.startsWith('node:'))).toEqual([]);
  });
});

test('a name that is not of the plan and one that is missing are found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'floor-plan-'));
  try {
    cpSync(template, folder, { recursive: true });
    expect(faults(folder)).toEqual([]);
    renameSync(join(folder, 'errors.ts.tmpl'), join(folder, 'failures.ts.tmpl'));
    renameSync(join(folder, 'servers/delete.ts.tmpl'), join(folder, 'servers/remove.ts.tmpl'));
    expect(faults(folder)).toEqual([
      'errors.ts is missing',
      'failures.ts is not of the plan',
      'servers/delete.ts is missing',
      'servers/remove.ts is not of the plan',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Returns the sources that are loaded with an entry, and the packages that they import. */
function loadedBy(entry: string): { sources: string[]; packages: string[] } {
  const sources = new Set<string>();
  const packages = new Set<string>();
  const load = (path: string): void => {
    if (sources.has(path)) return;
    sources.add(path);
    const text = readFileSync(existsSync(path) ? path : `${path}.tmpl`, 'utf8');
    for (const [, from = ''] of text.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm)) {
      if (!from.startsWith('.')) packages.add(from);
      else if (!from.includes('/sdk/')) load(join(dirname(path), from.replace(/\.js$/, '.ts')));
    }
  };
  load(entry);
  return { sources: [...sources], packages: [...packages] };
}
