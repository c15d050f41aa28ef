import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inputError } from '../../core/errors.js';
import { takenOf, writeAll } from './templates.js';

const TEMPLATE = join(import.meta.dirname, '../templates/method.ts.tmpl');

/**
 * Creates the file of a new method that already works: it counts the workflows of a workspace.
 *
 * @param name `operations.tally`: a group and a verb
 * @throws ProvisioningError (input) `no-name`, `bad-name`, `exists`
 */
export function createMethod(root: string, name?: string): string[] {
  const { path, words } = newMethod(root, name);
  return writeAll([{ path, text: filled(readFileSync(TEMPLATE, 'utf8'), { ...words, VARIABLE: words.METHOD_VARIABLE }) }]);
}

/**
 * Returns the path for a new method's file, and the names to fill into its template.
 *
 * @throws ProvisioningError (input) `no-name`, `bad-name`, `exists`
 */
export function newMethod(root: string, name?: string) {
  const refuse = (code: string, why: string, hint: string) =>
    inputError({ code, what: 'create the method', on: `"${name ?? ''}"`, why, hint });
  if (!name) throw refuse('no-name', 'it has no name', 'npm run new method GROUP.VERB');
  const [, group, verb] = /^([a-z][a-zA-Z0-9]{0,39})\.([a-z][a-zA-Z0-9]{0,39})$/.exec(name) ?? [];
  if (!group || !verb) throw refuse('bad-name', 'a name is a group and a verb, both in camelCase', 'for example operations.tally');
  const path = join(root, 'app/methods', group, `${kebab(verb)}.ts`);
  if (takenOf([path])) throw refuse('exists', `${relative(root, path)} is there already`, 'take another name');
  const one = group
    .replace(/ies$/, 'y')
    .replace(/(ch|s)es$/, '$1')
    .replace(/s$/, '');
  const variable = `${verb}${group[0]?.toUpperCase()}${group.slice(1)}`;
  return { path, words: { METHOD: name, METHOD_VARIABLE: variable, GROUP: group, VERB: kebab(verb), SUBJECT: one } };
}

/** Replaces `__NAME__` and other placeholders in a text. */
export const filled = (text: string, words: Readonly<Record<string, string>>): string =>
  text.replace(/__([A-Z]+(?:_[A-Z]+)*)__/g, (whole, word: string) => words[word] ?? whole);

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
