import { RE2JS, RE2JSSyntaxException } from 're2js';
import { SopsFault } from './fault.js';

/** Rules that select the encrypted values of a file, which has at most one of them. */
export const RULES = [
  'unencrypted_suffix',
  'encrypted_suffix',
  'unencrypted_regex',
  'encrypted_regex',
  'unencrypted_comment_regex',
  'encrypted_comment_regex',
] as const;
export type RuleName = (typeof RULES)[number];
export interface Rule {
  name: RuleName;
  text: string;
}

/** Default rule. */
export const DEFAULT_RULE: Rule = { name: 'unencrypted_suffix', text: '_unencrypted' };

/** Place of a value. */
export interface ValuePlace {
  path: readonly string[];
  /** Comments before it, by level: those since the last value of the level. */
  comments: readonly (readonly string[])[];
  isComment: boolean;
}

/**
 * Returns a function that selects the encrypted values.
 *
 * @param texts all names and comments of the file, on which expressions are tried at once
 */
export function selectionOf({ name, text }: Rule, texts: { names: Iterable<string>; comments: Iterable<string> }) {
  const ofNames = name.endsWith('_suffix')
    ? (one: string) => one.endsWith(text)
    : isOneOf(matchTexts(text, name.includes('comment') ? texts.comments : texts.names, name));
  return ({ path, comments, isComment }: ValuePlace): boolean => {
    switch (name) {
      case 'unencrypted_suffix':
      case 'unencrypted_regex':
        return !path.some(ofNames);
      case 'encrypted_suffix':
      case 'encrypted_regex':
        return path.some(ofNames);
      case 'unencrypted_comment_regex':
        return !comments.flat().some(ofNames);
      case 'encrypted_comment_regex': {
        const before = comments.flat();
        // The comment with the mark itself stays plain.
        return (isComment ? before.slice(0, -1) : before).some(ofNames);
      }
    }
  };
}

const isOneOf = (found: ReadonlySet<string>) => (one: string) => found.has(one);

/**
 * Returns the texts that a Go expression matches. Expression and texts may be untrusted: RE2 takes time in proportion
 * to both, like Go.
 *
 * @throws SopsFault for an invalid expression
 */
export function matchTexts(expression: string, texts: Iterable<string>, name: string): Set<string> {
  try {
    const compiled = RE2JS.compile(expression);
    return new Set([...texts].filter((text) => compiled.matcher(text).find()));
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    throw new SopsFault(
      'sops-unsupported',
      `the expression of ${name} cannot be understood`,
      'simplify it to a list of names: ^(password|key)$',
    );
  }
}
