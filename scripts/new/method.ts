import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { inputError } from '../../core/errors.js';

const TEMPLATE = join(import.meta.dirname, '../templates/method.ts.tmpl');

/**
 * Makes the file of a new method, which works as it is: it counts the workflows of a workspace.
 *
 * @param name `operations.count`: a group and a verb
 * @throws ProvisioningError (input) `no-name`, `bad-name`, `exists`
 */
export function createMethod(root: string, name?: string): string[] {
  const refuse = (code: string, why: string, hint: string) =>
    inputError({ code, what: 'create the method', on: `"${name ?? ''}"`, why, hint });
  if (!name) throw refuse('no-name', 'it has no name', 'npm run new method GROUP.VERB');
  const [, group, verb] = /^([a-z][a-zA-Z0-9]{0,39})\.([a-z][a-zA-Z0-9]{0,39})$/.exec(name) ?? [];
  if (!group || !verb) throw refuse('bad-name', 'a name is a group and a verb, both in camelCase', 'for example operations.count');
  const path = join(root, 'app/methods', group, `${kebab(verb)}.ts`);
  if (existsSync(path)) throw refuse('exists', `${relative(root, path)} is there already`, 'take another name');
  const one = group
    .replace(/ies$/, 'y')
    .replace(/(ch|s)es$/, '$1')
    .replace(/s$/, '');
  const text = readFileSync(TEMPLATE, 'utf8')
    .replaceAll('__METHOD__', name)
    .replaceAll('__VARIABLE__', `${verb}${group[0]?.toUpperCase()}${group.slice(1)}`)
    .replaceAll('__SUBJECT__', one);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return [path];
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
