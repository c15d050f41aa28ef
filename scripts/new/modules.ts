import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { inputError } from '../../core/errors.js';
import { camelCase } from '../names.js';

const TEMPLATES = join(import.meta.dirname, '../templates');
export type ModuleKind = 'taskserv' | 'provider';

/** Words that cannot name a variable. */
const RESERVED = new Set(
  (
    'abstract as await break case catch class const continue debugger default delete do else enum export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public ' +
    'return static super switch this throw true try typeof var void while with yield eval arguments undefined'
  ).split(' '),
);

/**
 * Makes what a new taskserv or provider consists of under `root` and returns the paths of its files.
 *
 * @throws ProvisioningError (input) for a name that cannot be, a folder or file that exists
 */
export function createModule(root: string, kind: ModuleKind, name: string | undefined): string[] {
  const refuse = (code: string, why: string, hint: string) =>
    inputError({ code, what: `create the ${kind}`, on: `"${name}"`, why, hint });
  if (!name)
    throw inputError({ code: 'no-name', what: `create a ${kind}`, why: 'it has no name', hint: `npm run new ${kind} NAME` });
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
    throw refuse(
      'bad-name',
      'a name is at most 40 lower-case letters and digits, words joined by "-"',
      kind === 'provider' ? 'for example acme-cloud' : 'for example node-exporter',
    );
  }
  const templates = templatesOf(kind);
  if (RESERVED.has(camelCase(name)) || templates.some(({ text }) => wordsBeside(text).has(camelCase(name))))
    throw refuse('bad-name', 'TypeScript or the template uses this word already', `for example ${name}-server`);
  const fill = (text: string) =>
    text
      .replaceAll('__NAME__', name)
      .replaceAll('__VARIABLE__', camelCase(name))
      .replaceAll('__ENV__', name.toUpperCase().replaceAll('-', '_'));
  const files = templates.map(({ path, text }) => ({ path: join(root, fill(path)), text: fill(text) }));
  const there = [join(root, `${kind}s`, name), ...files.map(({ path }) => path)].find((path) => existsSync(path));
  if (there) throw refuse('exists', `${relative(root, there)} is there already`, 'take another name, or edit what is there');
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return files.map(({ path }) => path);
}

/** The files of a template; their paths are those from the root of the repository. */
function templatesOf(kind: ModuleKind): { path: string; text: string }[] {
  const folder = join(TEMPLATES, kind);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tmpl'))
    .sort()
    .map((path) => ({ path: path.replace(/\.tmpl$/, ''), text: readFileSync(join(folder, path), 'utf8') }));
}

/** What is imported or declared in a file that has the new thing's variable, too. */
function wordsBeside(text: string): Set<string> {
  if (!text.includes('__VARIABLE__')) return new Set();
  const found = text.matchAll(/^import (?:\* as (\w+)|(?:type )?\{([^}]*)\})|(?:const|let|function) (\w+)/gm);
  return new Set(
    [...found].flatMap(([, all, some = '', own]) => [all, own, ...some.split(/\W+/)].filter((word) => word !== undefined)),
  );
}
