import { RE2JS, RE2JSSyntaxException } from 're2js';
import { SopsFault } from './fault.js';

/** The ways to say which values of a file are encrypted; a file has one of them at most. */
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

/** Of a file that says nothing. */
export const DEFAULT_RULE: Rule = { name: 'unencrypted_suffix', text: '_unencrypted' };

/** Where a value stands. */
export interface ValuePlace {
  path: readonly string[];
  /** Comments before it, by level: those since the last value of the level. */
  comments: readonly (readonly string[])[];
  isComment: boolean;
}

/** Says which values are encrypted. @param texts all names and comments of the file, which expressions are tried on at once */
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
        // The comment that says it stays as it is.
        return (isComment ? before.slice(0, -1) : before).some(ofNames);
      }
    }
  };
}

const isOneOf = (found: ReadonlySet<string>) => (one: string) => found.has(one);

/**
 * The texts that an expression of Go is found in. The expression and the texts are a stranger's: the engine takes time
 * in proportion to both, as Go's own does.
 *
 * @throws SopsFault where it is none
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
