import { join, relative } from 'node:path';
import { inputError } from '../../core/errors.js';
import { camelCase } from '../names.js';
import { RESERVED, takenOf, templatesOf, writeAll } from './templates.js';

export type ModuleKind = 'taskserv' | 'provider';

/**
 * Creates the files of a new taskserv or provider under `root` and returns their paths.
 *
 * @throws ProvisioningError (input) for an invalid name, or an existing folder or file
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
  const there = takenOf([join(root, `${kind}s`, name), ...files.map(({ path }) => path)]);
  if (there) throw refuse('exists', `${relative(root, there)} is there already`, 'take another name, or edit what is there');
  return writeAll(files);
}

/** Returns the imported and declared names of a file that also has the new module's variable. */
function wordsBeside(text: string): Set<string> {
  if (!text.includes('__VARIABLE__')) return new Set();
  const found = text.matchAll(/^import (?:\* as (\w+)|(?:type )?\{([^}]*)\})|(?:const|let|function) (\w+)/gm);
  return new Set(
    [...found].flatMap(([, all, some = '', own]) => [all, own, ...some.split(/\W+/)].filter((word) => word !== undefined)),
  );
}
