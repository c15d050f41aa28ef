import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inputError } from '../../core/errors.js';
import { camelCase } from '../names.js';
import { filled, newMethod } from './method.js';
import { RESERVED, type SourceFile, takenOf, templatesOf, writeAll } from './templates.js';

/** List of all workflows: the line for a new one, and the line before which it is inserted. */
interface Entry {
  path: string;
  line: string;
  before: RegExp;
}

/**
 * Creates a query workflow with its schemas, its activity and the method that runs it. The generated code works: it
 * lists the worker's providers. Adds the workflow to all lists of workflows.
 *
 * @param name `accounts`
 * @param method `providers.accounts`
 * @throws ProvisioningError (input) `no-name`, `bad-name`, `exists`
 */
export function createWorkflow(root: string, name?: string, method?: string): string[] {
  const refuse = (code: string, why: string, hint: string) =>
    inputError({ code, what: 'create the workflow', on: `"${name ?? ''}"`, why, hint });
  if (!name || !method)
    throw refuse(
      'no-name',
      name ? 'the method that runs it has no name' : 'it has no name',
      'npm run new workflow NAME GROUP.VERB',
    );
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    throw refuse('bad-name', 'a name is at most 40 lower-case letters and digits, words joined by "-"', 'for example accounts');
  const variable = camelCase(name);
  const type = `${variable[0]?.toUpperCase()}${variable.slice(1)}`;
  const used = usedWords(root);
  if (RESERVED.has(variable) || used.has(variable) || used.has(`find${type}`))
    throw refuse(
      'bad-name',
      `TypeScript or a list of workflows or activities uses ${used.has(variable) ? variable : `find${type}`} already`,
      'take another name',
    );
  const { words } = newMethod(root, method);
  const fill = (text: string) => filled(text, { ...words, NAME: name, VARIABLE: variable, TYPE: type });
  const files = templatesOf('workflow').map(({ path, text }) => ({ path: join(root, fill(path)), text: fill(text) }));
  const there = takenOf(files.map(({ path }) => path));
  if (there) throw refuse('exists', `${relative(root, there)} is there already`, 'take another name');
  return writeAll([...files, ...withEntries(root, entriesOf(name, variable, type, method))]);
}

const entriesOf = (name: string, variable: string, type: string, method: string): Entry[] => [
  { path: 'workflows/all.ts', line: `export { ${variable} } from './inquiry/${name}.js';`, before: /^$/ },
  { path: 'core/schema/requests.ts', line: `import { ${variable} } from './${name}.js';`, before: /^$/ },
  { path: 'core/schema/requests.ts', line: `  ${variable},`, before: /^\} satisfies / },
  { path: 'activities/index.ts', line: `import { create${type}Activities } from './inquiry/${name}.js';`, before: /^$/ },
  { path: 'activities/index.ts', line: `        ...create${type}Activities(shared),`, before: /^ {8}forgetKeys,$/ },
  {
    path: 'scripts/record-inquiries.ts',
    line: `  '${name}': { type: '${variable}', run: (client) => client.${method}({ workspace: 'default' }) },`,
    before: /^\};$/,
  },
  { path: 'test/attacks/forged.ts', line: `  ${variable}: {},`, before: /^ {2}orphans: \{\},$/ },
];

/** Lists that name every workflow, as paths from the root. */
export const WORKFLOW_LISTS: readonly string[] = [...new Set(entriesOf('', '', '', '').map(({ path }) => path))];

/** Adds a line to the lists for each entry. */
function withEntries(root: string, entries: readonly Entry[]): SourceFile[] {
  return WORKFLOW_LISTS.map((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    for (const { line, before } of entries.filter((entry) => entry.path === path)) {
      const at = lines.findIndex((text) => before.test(text));
      if (at < 0) throw new Error(`cannot add to ${path}: no line is like ${before}; change scripts/new/workflow.ts with it`);
      lines.splice(at, 0, line);
    }
    return { path: join(root, path), text: lines.join('\n') };
  });
}

/** Returns the names that are already in use. Activities are looked up by name, whatever their file. */
function usedWords(root: string): Set<string> {
  const activities = readdirSync(join(root, 'activities'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('activities', path));
  const texts = ['workflows/all.ts', 'core/schema/requests.ts', ...activities].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const [lists, code] = [texts.slice(0, 2).join(), texts.slice(2).join()];
  return new Set([...(lists.match(/\w+/g) ?? []), ...(code.match(/\bfind\w+/g) ?? [])]);
}
