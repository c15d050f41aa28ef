import { Composer, type Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser, Scalar } from 'yaml';
import { LIMITS } from '../../core/limits.js';
import { clipText, findHiddenCharacter } from '../../core/text.js';
import { describeHiddenCharacter, findHiddenFault, type TextFault } from './hidden.js';

export interface ParsedYaml {
  lines: LineCounter;
  /** Undefined where the text is not read to its end. */
  document?: Document.Parsed;
  /** Faults, errors first. An incomprehensible text has only its first fault. */
  faults: TextFault[];
  /** Whether the document says something, if with faults. */
  whole: boolean;
  /** Position of the first alias. */
  alias?: number;
}

/** Names that reach into objects of the language. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The tag of a text that is to stay as it is. */
export const RAW = '!raw';

/** Marks of the lexer: begin of a document, end of a broken flow collection, begin of a scalar. */
const MARKS = new Set(['\u0002', '\u0018', '\u001f']);

const MESSAGES: Readonly<Record<string, string>> = { MULTIPLE_DOCS: 'a file may contain only one document' };

/**
 * Parses YAML within limits of time and memory. Parsing stops at the first fault or exceeded limit, before a tree is
 * built. The content never makes it throw.
 *
 * @param json allow only JSON
 */
export function parseYaml(text: string, { json = false } = {}): ParsedYaml {
  const lines = new LineCounter();
  const broken = (offset: number, message: string): ParsedYaml => ({ lines, faults: [{ offset, message }], whole: false });
  lines.addNewLine(0);
  const hidden = findHiddenFault(text);
  if (hidden) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
    return broken(hidden.offset, hidden.message);
  }
  const { tokens, fault } = tokensOf(text, lines, json);
  if (fault) return broken(fault.offset, fault.message);
  // Equal keys are looked for below, in one go: the library compares each with each.
  const customTags = json ? [] : [{ tag: RAW, resolve: (text: string) => text }];
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, customTags });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (!document) return broken(0, 'it is not valid YAML');
  const [error] = document.errors;
  if (error) return broken(error.pos[0], MESSAGES[error.code] ?? error.message.replace(/\s*\n[\s\S]*$/, ''));
  if (second) return broken(second.range[0], 'a file may contain only one document');
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2')
    return broken(0, 'only YAML 1.2 is supported');
  const warned = document.warnings.map(({ pos, message }) => ({ offset: pos[0], message: message.replace(/\s*\n[\s\S]*$/, '') }));
  const { faults, whole, alias } = examine(document, json);
  return { lines, document, faults: [...warned, ...faults].slice(0, LIMITS.problems), whole: whole && warned.length === 0, alias };
}

function tokensOf(text: string, lines: LineCounter, json: boolean) {
  const parser = new Parser(lines.addNewLine);
  const tokens = [];
  let parts = 0;
  let offset = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') return { tokens, fault: { offset: token.offset, message: token.message } };
      tokens.push(token);
    }
    if (json && lexeme.startsWith('#')) return { tokens, fault: { offset, message: 'JSON has no comments' } };
    if (++parts > LIMITS.fileParts)
      return { tokens, fault: { offset, message: `the file has more than ${LIMITS.fileParts} names, values and signs` } };
    // The document itself and the value at its end are on the stack as well.
    if (parser.stack.length > LIMITS.fileDepth + 2)
      return { tokens, fault: { offset, message: `lists and maps are nested more than ${LIMITS.fileDepth} levels deep` } };
    // These mark places for the parser, and are not in the text.
    if (!MARKS.has(lexeme)) offset += lexeme.length;
  }
  tokens.push(...parser.end());
  return { tokens };
}

const JSON_PLAIN = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/;

/** Finds faults in the parts of a document. `whole` is set if its data is usable in spite of them. */
function examine(document: Document.Parsed, json: boolean): Pick<ParsedYaml, 'faults' | 'whole' | 'alias'> {
  const faults: TextFault[] = [];
  let alias: number | undefined;
  let whole = true;
  const say = (node: { range?: readonly number[] | null } | null, message: string, fatal = false) => {
    if (faults.length < LIMITS.problems) faults.push({ offset: node?.range?.[0] ?? 0, message });
    if (fatal) whole = false;
  };
  const scalar = (node: Scalar): void => {
    const hidden = typeof node.value === 'string' ? findHiddenCharacter(node.value) : undefined;
    if (hidden) say(node, describeHiddenCharacter(hidden), true);
    const isJson = node.type === Scalar.QUOTE_DOUBLE || (node.type === Scalar.PLAIN && JSON_PLAIN.test(node.source ?? ''));
    if (json && whole && !isJson) say(node, 'this is not JSON: texts need double quotes, and comments are not allowed', true);
  };
  const visit = (node: unknown): void => {
    if (isSeq(node)) {
      if (json && !node.flow && whole) say(node, 'this is not JSON: lists need brackets', true);
      for (const item of node.items) visit(item);
    } else if (isMap(node)) {
      if (json && !node.flow && whole) say(node, 'this is not JSON: maps need braces', true);
      const seen = new Set<string>();
      for (const { key, value } of node.items) {
        if (!isScalar(key) || key.value === null) say((key as Node | null) ?? node, 'a key is a text', true);
        else {
          const name = String(key.value);
          if (RESERVED_NAMES.has(name)) say(key, `no key may be called "${name}"`, true);
          else if (seen.has(name)) say(key, 'this key is given twice');
          seen.add(name);
          scalar(key);
        }
        visit(value);
      }
    } else if (isScalar(node)) scalar(node);
    else if (isAlias(node)) {
      alias ??= node.range?.[0];
      if (json && whole) say(node, 'this is not JSON: aliases are not allowed', true);
    }
  };
  visit(document.contents);
  return { faults, whole, alias };
}

/** Data of a document, or the reason why its aliases prevent that. */
export function dataOf(document: Document.Parsed): { value: unknown } | { fault: string } {
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as unknown };
  } catch (error) {
    const { message } = error as Error;
    const why = /Excessive alias/.test(message) ? 'its aliases expand to too much data' : clipText(message);
    return { fault: `the aliases (*name) cannot be resolved: ${why}` };
  }
}
