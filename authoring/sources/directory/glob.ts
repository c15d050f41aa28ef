/** Compiled pattern of `.gitignore`. Texts are bytes, one per character, as Git compares them. */
export type Glob = (text: string) => boolean;

type Token =
  | { kind: 'one'; is: (byte: number) => boolean }
  /** `*`, and `**` at an end, which matches slashes too. */
  | { kind: 'any'; slashes: boolean }
  /** Before `**` + `/`: goes into it, or past it. */
  | { kind: 'enter' }
  /** Within `**` + `/`: any bytes, and past it with a slash. */
  | { kind: 'folders' };

const SLASH = 0x2f;

/** Leading characters without a special meaning. */
const PLAIN = /^[^*?[\\]*/;

/**
 * Compiles a pattern as Git compares it, which is more than gitignore(5) describes. Matching takes at most the product
 * of both lengths, even for hostile patterns. Regular expressions take exponential time for some.
 *
 * @param paths whether `/` separates: `*` and `?` do not match it, and `**` has its meaning
 * @returns undefined for a pattern that matches nothing
 */
export function parseGlob(pattern: string, paths: boolean): Glob | undefined {
  const [plain = ''] = PLAIN.exec(pattern) ?? [];
  if (plain === pattern) return (text) => text === pattern;
  const ending = pattern.slice(1);
  if (pattern.startsWith('*') && !paths && PLAIN.exec(ending)?.[0] === ending) return (text) => text.endsWith(ending);
  // Git removes the common plain prefix from both before it compares. The rest of `a**/b` then begins with `**`.
  const beginning = paths ? plain : '';
  const tokens = tokensOf(pattern.slice(beginning.length), paths);
  return tokens && ((text) => text.startsWith(beginning) && matches(tokens, text.slice(beginning.length)));
}

function tokensOf(pattern: string, paths: boolean): Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (at < pattern.length) {
    const sign = pattern[at] as string;
    if (sign === '*') {
      const from = at;
      while (pattern[at] === '*') at += 1;
      const isWide = paths && at - from > 1 && (from === 0 || pattern[from - 1] === '/');
      const next = pattern[at];
      if (isWide && next === '/') {
        tokens.push({ kind: 'enter' }, { kind: 'folders' });
        at += 1;
      } else tokens.push({ kind: 'any', slashes: !paths || (isWide && (next === undefined || pattern.startsWith('\\/', at))) });
    } else if (sign === '?') {
      tokens.push({ kind: 'one', is: (byte) => !paths || byte !== SLASH });
      at += 1;
    } else if (sign === '[') {
      const found = classAt(pattern, at);
      if (!found) return undefined;
      tokens.push({ kind: 'one', is: (byte) => !(paths && byte === SLASH) && found.is(byte) });
      at = found.end;
    } else {
      const escaped = sign === '\\' ? at + 1 : at;
      if (escaped >= pattern.length) return undefined;
      const wanted = pattern.charCodeAt(escaped);
      tokens.push({ kind: 'one', is: (byte) => byte === wanted });
      at = escaped + 1;
    }
  }
  return tokens;
}

/** Character classes, limited to ASCII and as Git defines them: `space` has four characters. */
const NAMED: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the class
  cntrl: /[\u0000-\u001f\u007f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** Parses `[…]` and returns its matcher and its end. */
function classAt(pattern: string, start: number): { is: (byte: number) => boolean; end: number } | undefined {
  let at = start + 1;
  const negated = pattern[at] === '!' || pattern[at] === '^';
  if (negated) at += 1;
  const tests: ((byte: number) => boolean)[] = [];
  let before: number | undefined;
  for (let first = true; first || pattern[at] !== ']'; first = false) {
    if (at >= pattern.length) return undefined;
    const named = pattern.startsWith('[:', at) ? /^\[:([^\]]*):\]/.exec(pattern.slice(at)) : null;
    if (named) {
      const [, name = ''] = named;
      const set = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
      if (!set) return undefined;
      tests.push((byte) => set.test(String.fromCharCode(byte)));
      at += named[0].length;
      before = undefined;
    } else if (pattern[at] === '-' && before !== undefined && pattern[at + 1] !== undefined && pattern[at + 1] !== ']') {
      at += pattern[at + 1] === '\\' ? 2 : 1;
      if (at >= pattern.length) return undefined;
      const [from, to] = [before, pattern.charCodeAt(at)];
      tests.push((byte) => byte >= from && byte <= to);
      at += 1;
      before = undefined;
    } else {
      if (pattern[at] === '\\') at += 1;
      if (at >= pattern.length) return undefined;
      const byte = pattern.charCodeAt(at);
      tests.push((one) => one === byte);
      before = byte;
      at += 1;
    }
  }
  return { is: (byte) => tests.some((test) => test(byte)) !== negated, end: at + 1 };
}

/** Tracks all positions of the pattern that a prefix of the text can reach. */
function matches(tokens: readonly Token[], text: string): boolean {
  let now = reached(tokens, [0]);
  for (let index = 0; index < text.length && now.length > 0; index += 1) {
    const byte = text.charCodeAt(index);
    const next: number[] = [];
    for (const at of now) {
      const token = tokens[at];
      if (token?.kind === 'one' && token.is(byte)) next.push(at + 1);
      else if (token?.kind === 'any' && (token.slashes || byte !== SLASH)) next.push(at);
      else if (token?.kind === 'folders') next.push(...(byte === SLASH ? [at, at + 1] : [at]));
    }
    now = reached(tokens, next);
  }
  return now.includes(tokens.length);
}

/** Adds the positions that are reached without a byte. */
function reached(tokens: readonly Token[], places: readonly number[]): number[] {
  const found = new Set<number>();
  const rest = [...places];
  for (let at = rest.pop(); at !== undefined; at = rest.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    const kind = tokens[at]?.kind;
    if (kind === 'any') rest.push(at + 1);
    if (kind === 'enter') rest.push(at + 1, at + 2);
  }
  return [...found];
}
