import { runInNewContext } from 'node:vm';
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

/** Time of the processor that an expression may take for all names of a file, in milliseconds: one that never ends is an attack. */
const PATIENCE_MS = 500;
/** The longest that is waited for it on a machine that is busy with something else. */
const LONGEST_MS = 60_000;

/** Where a value stands. */
export interface Standing {
  path: readonly string[];
  /** Comments before it, by level: those since the last value of the level. */
  comments: readonly (readonly string[])[];
  isComment: boolean;
}

/** Says which values are encrypted. @param texts all names and comments of the file, which expressions are tried on at once */
export function selectionOf({ name, text }: Rule, texts: { names: Iterable<string>; comments: Iterable<string> }) {
  const ofNames = name.endsWith('_suffix')
    ? (one: string) => one.endsWith(text)
    : isOneOf(matching(text, name.includes('comment') ? texts.comments : texts.names, name));
  return ({ path, comments, isComment }: Standing): boolean => {
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

/** The texts that an expression of Go is found in. @throws SopsFault where it is none, or takes too long */
export function matching(expression: string, texts: Iterable<string>, name: string): Set<string> {
  const [, flags = '', source = ''] = /^(?:\(\?([ims]+)\))?([\s\S]*)$/.exec(expression) ?? [];
  const all = [...new Set(texts)];
  const began = process.cpuUsage();
  for (let timeout = PATIENCE_MS; ; timeout *= 2) {
    try {
      const found: unknown = runInNewContext(
        'const one = new RegExp(source, flags); JSON.stringify(JSON.parse(all).map((text) => one.test(text)))',
        { source, flags, all: JSON.stringify(all) },
        { timeout, contextCodeGeneration: { strings: false, wasm: false } },
      );
      const hits = JSON.parse(String(found)) as boolean[];
      return new Set(all.filter((_, index) => hits[index]));
    } catch (error) {
      const isLate = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      // The clock says nothing of a machine that gives this process little of its time.
      if (isLate && process.cpuUsage(began).user < PATIENCE_MS * 1000 && timeout < LONGEST_MS) continue;
      const why = isLate ? 'takes too long' : 'cannot be understood';
      throw new SopsFault(
        'sops-unsupported',
        `the expression of ${name} ${why}`,
        'write it simpler, as a list of names: ^(password|key)$',
      );
    }
  }
}
