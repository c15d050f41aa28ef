import type { Path } from '../source/problem.js';

/** Content between `{{` and `}}`. */
export interface Expression {
  text: string;
  /** The names that it uses, each as its parts; `optional` where a default stands in for what has no value. */
  names: { path: Path; optional: boolean }[];
  /** It is a name and nothing else. */
  plain: boolean;
}

/** Something that is wrong with an expression. Without a message it has been told of already. */
export class Fault {
  constructor(
    readonly message?: string,
    readonly suggestion?: string,
  ) {}
}

/** Names of the filters for values. */
export const FILTERS = ['default', 'join', 'lower', 'trim', 'upper'] as const;

/** Characters of an expression; what is longer is text that was meant to stay. */
const LONGEST = 1_000;

export const RAW_HINT = 'text that is to stay as it is: !raw before it, or { raw: … }';

/** A text in its parts; undefined where it has no expression. @throws Fault */
export function partsOf(text: string): (string | Expression)[] | undefined {
  if (!text.includes('{{')) return undefined;
  const parts: (string | Expression)[] = [];
  let from = 0;
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', from)) {
    if (start > from) parts.push(text.slice(from, start));
    const end = endOf(text, start + 2);
    parts.push(expressionOf(text.slice(start + 2, end).trim()));
    from = end + 2;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Returns the position of the `}}` that ends an expression, outside of quotes. */
function endOf(text: string, start: number): number {
  let quote: string | undefined;
  const last = Math.min(text.length - 1, start + LONGEST);
  for (let index = start; index < last; index++) {
    const character = text[index] as string;
    if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '}' && text[index + 1] === '}') return index;
  }
  throw new Fault('"{{" begins an expression, but "}}" is missing', RAW_HINT);
}

const TOKEN =
  /\s*(?:(?<name>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*(?:@[a-z][\w-]*)?|\[\d{1,4}\])*)|(?<literal>"[^"]*"|'[^']*'|-?\d{1,15}(?:\.\d{1,15})?)|(?<sign>[|:,]))/y;

/** Reads `NAME | filter: "argument"`, and nothing beyond that. */
function expressionOf(text: string): Expression {
  const tokens = tokensOf(text);
  const names: Expression['names'] = [];
  const value = (): void => {
    const token = tokens.shift();
    if (token?.kind === 'name' && !isWord(token.text)) names.push({ path: pathOf(token.text), optional: false });
    else if (token?.kind === 'sign' || !token) throw notRead(text);
  };
  const sign = (one: string): boolean => tokens[0]?.kind === 'sign' && tokens[0].text === one && tokens.shift() !== undefined;
  const plain = tokens.length === 1 && tokens[0]?.kind === 'name';
  value();
  let filters = 0;
  while (sign('|')) {
    const filter = tokens.shift();
    if (filter?.kind !== 'name') throw notRead(text);
    if (!(FILTERS as readonly string[]).includes(filter.text)) {
      throw new Fault(`there is no filter "${filter.text}"`, `known: ${FILTERS.join(', ')}; ${RAW_HINT}`);
    }
    filters += 1;
    const [first] = names;
    if (filter.text === 'default' && filters === 1 && first) first.optional = true;
    if (!sign(':')) continue;
    do value();
    while (sign(','));
  }
  if (tokens.length > 0) throw notRead(text);
  return { text, names, plain };
}

interface Token {
  kind: 'name' | 'literal' | 'sign';
  text: string;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    const found = Object.entries(groups ?? {}).find(([, part]) => part !== undefined);
    if (!found) throw notRead(text);
    tokens.push({ kind: found[0] as Token['kind'], text: found[1] as string });
    at = TOKEN.lastIndex;
  }
  return tokens;
}

const isWord = (text: string): boolean => text === 'true' || text === 'false';

const pathOf = (text: string): Path => text.split(/[.[]/).map((part) => (part.endsWith(']') ? Number(part.slice(0, -1)) : part));

const notRead = (text: string): Fault =>
  new Fault(`"{{ ${text.slice(0, 60)} }}" is not an expression`, `write {{ NAME }} or {{ NAME | filter }}; ${RAW_HINT}`);
