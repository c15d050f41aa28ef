import { RuleFault } from './rule-fault.js';

export interface Token {
  kind: 'name' | 'number' | 'text' | 'sign' | 'end';
  text: string;
}

/** Characters of an expression. */
const LONGEST = 2_000;

const TOKEN =
  /\s*(?:(?<name>[A-Za-z_][A-Za-z0-9_]*)|(?<number>\d{1,15}(?:\.\d{1,15})?)|(?<text>"[^"\\]*"|'[^'\\]*')|(?<sign>&&|\|\||[=!<>]=|[-+*/%!<>?:.,()[\]]))/y;

/** The words and signs of an expression, with one for its end. @throws RuleFault */
export function tokenizeRule(expression: string): Token[] {
  if (expression.length > LONGEST) throw new RuleFault(`an expression has at most ${LONGEST} characters`, 'make two rules of it');
  const text = expression.trimEnd();
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = Object.entries(TOKEN.exec(text)?.groups ?? {}).find(([, part]) => part !== undefined);
    if (!found) throw new RuleFault(`"${text.slice(at, at + 20).trim()}" is not understood`, hintFor(text.slice(at).trimStart()));
    const [kind, part = ''] = found;
    tokens.push({ kind: kind as Token['kind'], text: kind === 'text' ? part.slice(1, -1) : part });
  }
  return [...tokens, { kind: 'end', text: '' }];
}

const hintFor = (rest: string): string | undefined =>
  rest.startsWith('=')
    ? 'two things are compared by =='
    : rest.startsWith('&') || rest.startsWith('|')
      ? 'write && or ||'
      : undefined;
