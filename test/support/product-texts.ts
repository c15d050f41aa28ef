import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import ts from 'typescript';

/** Family of a text by its readers. Each family has its own rules in docs/contribute/style.md. */
export type Family = 'help' | 'errors' | 'fields' | 'README' | 'guides' | 'pages' | 'services';

export interface ProductText {
  family: Family;
  path: string;
  /** Line number from 1. */
  line: number;
  /** One sentence or phrase. An inserted value is `…`, code in a page is `code`. */
  text: string;
  /** Sentence with the code of its page, if it has any. */
  shown?: string;
  /** The text is inserted into another text and is not a sentence. */
  isPart?: true;
}

/** Families of texts by the name that their property or constant has. */
const PROPERTIES = new Map<string, Family>([
  ['about', 'help'],
  ['details', 'help'],
  ['summary', 'help'],
  ['what', 'errors'],
  ['why', 'errors'],
  ['hint', 'errors'],
  ['WHAT', 'errors'],
  ['message', 'errors'],
  ['error', 'errors'],
  ['advice', 'errors'],
  ['suggestion', 'errors'],
  ['fault', 'errors'],
  ['description', 'fields'],
]);

/** Families of texts in calls, by the name of the function and the position of the argument. */
const CALLS = new Map<string, readonly [number | 'every', Family]>([
  ['describe', [0, 'fields']],
  ['entry', [1, 'help']],
  ['confirm', [0, 'help']],
  ['note', [0, 'help']],
]);

/** Calls that create or report an error. Each of their texts is an error text. */
const ERROR_CALLS =
  /^(?:value|key|say|#say|bad|bad[A-Z]\w*|refuse|refused|refuses|refusal|serviceRefuses|fail|failed|wrong|broken|problem|problemIn|unreadable|missing|needsYes|create\w+(?:Error|Fault)|\w*Fault|Refused|Error|TypeError)$/;

/** Returns the texts of one module for people: help, errors and fields. */
export function textsOfModule(path: string, source: string): ProductText[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: ProductText[] = [];
  const add = (family: Family, node: ts.Node) => {
    for (const { text, at, ...part } of literalsOf(node, file)) {
      const { line } = file.getLineAndCharacterOfPosition(at);
      for (const sentence of sentencesOf(text.replaceAll('\n', ' ')))
        found.push({ family, path, line: line + 1, text: sentence, ...part });
    }
  };
  const visit = (node: ts.Node): void => {
    if ((ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) && node.initializer) {
      const family = PROPERTIES.get(node.name.getText(file));
      if (family) add(family, node.initializer);
      else if (node.name.getText(file) === 'arguments' && path.startsWith('cli/')) add('help', node.initializer);
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = calledName(node);
      const [place, family] = CALLS.get(name) ?? (ERROR_CALLS.test(name) ? (['every', 'errors'] as const) : []);
      const texts =
        place === 'every' ? (node.arguments ?? []) : place === undefined ? [] : (node.arguments ?? []).slice(place, place + 1);
      if (family) for (const text of texts) add(family, text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const calledName = ({ expression }: ts.CallExpression | ts.NewExpression): string =>
  ts.isPropertyAccessExpression(expression) ? expression.name.text : ts.isIdentifier(expression) ? expression.text : '';

/** Returns the possible texts of a value that contain a space, for all branches. Arguments of calls are left out. */
function literalsOf(node: ts.Node, file: ts.SourceFile): { text: string; at: number; isPart?: true }[] {
  if (ts.isStringLiteralLike(node)) return node.text.includes(' ') ? [{ text: node.text, at: node.getStart(file) }] : [];
  if (ts.isTemplateExpression(node)) {
    const text = node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
    const within = node.templateSpans.flatMap(({ expression }) =>
      literalsOf(expression, file).map((literal) => ({ ...literal, isPart: true as const })),
    );
    return [...(text.includes(' ') ? [{ text, at: node.getStart(file) }] : []), ...within];
  }
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap((one) => literalsOf(one, file));
  if (ts.isBinaryExpression(node)) return [node.left, node.right].flatMap((one) => literalsOf(one, file));
  if (ts.isParenthesizedExpression(node)) return literalsOf(node.expression, file);
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap((one) => literalsOf(one, file));
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return literalsOf(node.body, file);
  if (ts.isCallExpression(node) && calledName(node) === 'join') return literalsOf(node.expression, file);
  if (ts.isPropertyAccessExpression(node)) return literalsOf(node.expression, file);
  return [];
}

/** Replacement for a code span within a sentence: one character of the private use area between backticks. */
const SPAN = /`[\uE000-\uF8FF]`/g;

/** Returns the sentences of a page's prose, without code, table rules, headings and pictures. */
export function textsOfPage(path: string, family: Family, source: string): ProductText[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '');
  const spans: string[] = [];
  const prose = source
    .replace(/^```[\s\S]*?^```.*$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`\n]*`/g, (span) => `\`${String.fromCharCode(0xe000 + spans.push(span) - 1)}\``)
    .replace(/\*\*|(?<!\w)_|_(?!\w)/g, '');
  if (spans.length > 0x1900) throw new Error(`${path} has too much code`);
  return prose.split('\n').flatMap((line, index) => {
    if (/^(?:#|\|[-\s|:]+$|!\[)/.test(line)) return [];
    const cells = line.startsWith('|') ? line.split('|') : [line.replace(/^\s*(?:[-*>]|\d+\.)\s+/, '')];
    return cells.flatMap(sentencesOf).map((sentence) => {
      const text = sentence.replace(SPAN, '`code`');
      if (text === sentence) return { family, path, line: index + 1, text };
      return {
        family,
        path,
        line: index + 1,
        text,
        shown: sentence.replace(SPAN, (span) => spans[span.charCodeAt(1) - 0xe000] as string),
      };
    });
  });
}

/** Splits a text into sentences. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+(?=[A-Z`…"(])|\n+/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.includes(' '));

const PAGES: readonly [RegExp, Family][] = [
  [/^README\.md$/, 'README'],
  [/^docs\/(?:start|use|operate|extend)\//, 'guides'],
  [/^(?:taskservs|providers|clusters|examples)\/.*README\.md$/, 'services'],
  [
    /^docs\/(?:README\.md$|(?:reference|contribute)\/(?!glossary\.md|wire-names\.md|style\.md|cli\.md|methods\.md|settings\.md|catalog\.md|reports|clouds\/contract\.md))/,
    'pages',
  ],
  [/^AGENTS\.md$/, 'pages'],
];

const NO_PRODUCT = /^(?:test|bench|docs|scripts)\/|\.test\.ts$|^sdk\/testing\//;

/** Returns all texts of the product that people read, ordered by path. */
export async function productTexts(root: string): Promise<ProductText[]> {
  const { stdout } = await execa('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.md'], { cwd: root });
  const texts = await Promise.all(
    stdout.split('\n').map(async (path) => {
      const family = PAGES.find(([pattern]) => pattern.test(path))?.[1];
      if (path.endsWith('.md') ? !family : NO_PRODUCT.test(path)) return [];
      const source = await readFile(join(root, path), 'utf8').catch(() => '');
      return family ? textsOfPage(path, family, source) : textsOfModule(path, source);
    }),
  );
  return texts.flat();
}
