import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** The checkout, whether this file is directly in `scripts/` or in a subfolder. */
const root = join(import.meta.dirname, import.meta.dirname.endsWith('/scripts') ? '..' : '../..');

/** Folders of the checkout that are not rooms. Their exports are only for tests and builds. */
const NO_ROOMS = new Set(['bench', 'bin', 'deploy', 'dist', 'docs', 'examples', 'node_modules', 'scripts', 'test']);

/**
 * Remaining names of each kind. The counts only fall: after a rename, lower the number to the count in the failed
 * test. Name a function with a verb (`resolveServices`, `checkGrant`), and a value or type with a noun.
 */
const LEFT: Readonly<Record<Kind, number>> = {
  'functions that begin with a participle': 7,
  'functions that begin with a preposition': 1,
  'functions that end in Of': 203,
  'values and types that end with a participle': 25,
  'values and types that begin with a preposition': 14,
};

type Kind =
  | 'functions that begin with a participle'
  | 'functions that begin with a preposition'
  | 'functions that end in Of'
  | 'values and types that end with a participle'
  | 'values and types that begin with a preposition';

interface Exported {
  path: string;
  name: string;
  isFunction: boolean;
}

const words = (text: string): Set<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Participles that end neither in `ed` nor in `ing`. Forms that are nouns or verbs too, such as `run`, `set` and `cut`, are not here. */
const IRREGULAR = words(`
  begun bound broken brought built chosen done drawn driven drunk dug eaten fallen fed felt forgotten fought found frozen given
  gone grown heard held hidden hung kept known laid led left lent lost made meant met overridden paid ran rebuilt redone
  rewritten risen said seen sent shaken shown sold sought spent spoken stolen stood stuck taken taught thought thrown told
  torn undone understood withdrawn withheld won worn woven written
`);

/** Words that only look like participles. */
const LOOK_ALIKE = words(`
  bed bleed breed keepalived keyring memcached bring ceiling during embed evening exceed feed indeed king need nothing ping proceed red ring seed shed
  sibling sling speed spring sting string succeed swing thing wing
`);

/** Nouns that were participles. A value or a type may have such a name, but not a function. */
const NOUNS = words(`
  beginning being binding building closing encoding ending finding heading listing meaning naming networking offering opening
  padding pricing recording reading rounding setting spelling standing timing training warning
`);

const PREPOSITIONS = words(`
  about above across after against along among around as at before behind below beneath beside besides between beyond by
  despite during except for from if in inside into near not of off on onto or outside over per since than through till to
  toward towards under until upon via when whenever where whereas whether while with within without
`);

/** Splits `NOT_FOLLOWED`, `openKMSKey` and `resolveServices` into words in lower case. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_$]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

const isParticiple = (word: string): boolean => IRREGULAR.has(word) || (/(?:ed|ing)$/.test(word) && !LOOK_ALIKE.has(word));

/** Returns the faults of an exported name. */
function judge({ name, isFunction }: Pick<Exported, 'name' | 'isFunction'>): Kind[] {
  const all = wordsOf(name);
  // Named like the method of arrays.
  const first = name.startsWith('forEach') ? 'each' : (all[0] ?? '');
  const last = all.at(-1) ?? '';
  if (!isFunction)
    return [
      ...(isParticiple(last) && !NOUNS.has(last) ? (['values and types that end with a participle'] as const) : []),
      ...(PREPOSITIONS.has(first) ? (['values and types that begin with a preposition'] as const) : []),
    ];
  return [
    ...(isParticiple(first) ? (['functions that begin with a participle'] as const) : []),
    ...(PREPOSITIONS.has(first) ? (['functions that begin with a preposition'] as const) : []),
    ...(last === 'of' ? (['functions that end in Of'] as const) : []),
  ];
}

/** Returns the names that a module declares and exports, by syntax. Re-exports count in their own modules. */
function exportedNames(path: string, text: string): Exported[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const declared = new Map<string, boolean>();
  const exported = new Set<string>();
  const add = (statement: ts.Statement, name: string, isFunction: boolean) => {
    declared.set(name, isFunction);
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) exported.add(name);
  };
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name))
          add(statement, name.text, !!initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)));
    } else if (ts.isFunctionDeclaration(statement)) {
      if (statement.name) add(statement, statement.name.text, true);
    } else if (
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isEnumDeclaration(statement)
    ) {
      if (statement.name) add(statement, statement.name.text, declared.get(statement.name.text) ?? false);
    }
  }
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier || !statement.exportClause) continue;
    if (!ts.isNamedExports(statement.exportClause)) continue;
    for (const { name, propertyName } of statement.exportClause.elements) {
      const isFunction = declared.get((propertyName ?? name).text);
      if (isFunction === undefined) continue;
      declared.set(name.text, isFunction);
      exported.add(name.text);
    }
  }
  return [...exported].map((name) => ({ path, name, isFunction: declared.get(name) === true }));
}

test('participles, prepositions and Of are found in names; verbs, nouns and words that only look alike are not', () => {
  const kinds = (name: string, isFunction = true) => judge({ name, isFunction });
  for (const name of ['furnished', 'listedServices', 'toldInfra', 'openingDoors', 'understood', 'keptFor'])
    expect(kinds(name), name).toEqual(['functions that begin with a participle']);
  for (const name of ['orNothing', 'inTurn', 'withGiven', 'untilKept', 'asText', 'toUndo'])
    expect(kinds(name), name).toEqual(['functions that begin with a preposition']);
  expect(kinds('priceOf')).toEqual(['functions that end in Of']);
  expect(kinds('keptOf')).toEqual(['functions that begin with a participle', 'functions that end in Of']);
  for (const name of [
    'resolveServices',
    'checkGrant',
    'readFeed',
    'needRenewal',
    'bringCertificates',
    'stringify',
    'opens',
    'informHost',
  ])
    expect(kinds(name), name).toEqual([]);
  for (const name of ['Asked', 'ServerWanted', 'NOT_FOLLOWED', 'Told'])
    expect(kinds(name, false), name).toContain('values and types that end with a participle');
  for (const name of ['Around', 'ON_SERVERS', 'OnServer', 'By'])
    expect(kinds(name, false), name).toEqual(['values and types that begin with a preposition']);
  for (const name of ['KeptChanges', 'ListedSecret', 'Feed', 'SETTING', 'Infra', 'inventory', 'Ordinal', 'Finding'])
    expect(kinds(name, false), name).toEqual([]);
});

test('exports are found by their syntax', () => {
  const text = `
    export { later as made };
    import { given } from './given.js';
    export { asked } from './asked.js';
    export const told = () => 1, kept = 2;
    export async function seen() {}
    export interface Begun {}
    const later = () => 1;
    const hidden = 1;
  `;
  expect(exportedNames('core/a.ts', text).map(({ name, isFunction }) => `${name}${isFunction ? '()' : ''}`)).toEqual([
    'told()',
    'kept',
    'seen()',
    'Begun',
    'made()',
  ]);
});

const rooms = readdirSync(root, { withFileTypes: true })
  .filter((one) => one.isDirectory() && !one.name.startsWith('.') && !NO_ROOMS.has(one.name))
  .map(({ name }) => name);
const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...rooms.map((room) => `${room}/*.ts`)], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && !/\.(?:test|generated)\.ts$/.test(path) && existsSync(join(root, path)));
const all = paths.flatMap((path) => exportedNames(path, readFileSync(join(root, path), 'utf8')));

test('all rooms are read', () => {
  expect(rooms.length).toBeGreaterThan(20);
  expect(all.length).toBeGreaterThan(4_000);
});

test.each(Object.keys(LEFT) as Kind[])('%s become no more', (kind) => {
  const found = all.filter((one) => judge(one).includes(kind)).map(({ path, name }) => `${path}: ${name}`);
  const names = found.sort().join('\n');
  expect(found.length, `a name was added; name a function by a verb, a value by a noun:\n${names}`).toBeLessThanOrEqual(LEFT[kind]);
  // A number that is too high would allow the next such name.
  expect(found.length, `fewer are left: write ${found.length} for "${kind}" in LEFT`).toBe(LEFT[kind]);
});
