/** A part of a program, as far as it takes to find the keys of an object in it. */
export interface Token {
  kind: 'word' | 'text' | 'sign';
  /** A text without its quotes. */
  text: string;
  /** Offset. */
  at: number;
}

const WORD = /[A-Za-z0-9_$\u0080-\uffff]+/y;
const SIGNS = ['...', '=>'];
/** Texts that cannot end a value: a slash after them begins a regular expression. */
const BEFORE_VALUE = /^(?:[([{,;=:?!&|+\-*%<>~^]|=>|\.\.\.|return|default)$/;

/**
 * Splits a TypeScript program into tokens. Comments are omitted, and the content of a template is part of its token.
 */
export function tokenize(program: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < program.length; ) {
    const sign = program[at] as string;
    if (/\s/.test(sign)) at += 1;
    else if (program.startsWith('//', at)) at = endAfter(program, '\n', at);
    else if (program.startsWith('/*', at)) at = endAfter(program, '*/', at + 2);
    else if (sign === '"' || sign === "'" || sign === '`') {
      const end = sign === '`' ? endOfTemplate(program, at) : endOfText(program, sign, at);
      tokens.push({ kind: 'text', text: program.slice(at + 1, end - 1), at });
      at = end;
    } else if (sign === '/' && BEFORE_VALUE.test(tokens.at(-1)?.text ?? '=')) {
      const end = endOfText(program, '/', at);
      tokens.push({ kind: 'text', text: program.slice(at, end), at });
      at = end;
    } else {
      WORD.lastIndex = at;
      const word = WORD.exec(program)?.[0];
      const text = word ?? SIGNS.find((one) => program.startsWith(one, at)) ?? sign;
      tokens.push({ kind: word === undefined ? 'sign' : 'word', text, at });
      at += text.length;
    }
  }
  return tokens;
}

function endAfter(program: string, mark: string, from: number): number {
  const at = program.indexOf(mark, from);
  return at === -1 ? program.length : at + mark.length;
}

function endOfText(program: string, quote: string, from: number): number {
  for (let at = from + 1; at < program.length; at++) {
    if (program[at] === '\\') at += 1;
    else if (program[at] === quote || program[at] === '\n') return at + 1;
  }
  return program.length;
}

/** Templates in templates count as their braces do. */
function endOfTemplate(program: string, from: number): number {
  const open: ('`' | '{')[] = [];
  for (let at = from; at < program.length; at++) {
    const sign = program[at];
    const inText = open.at(-1) === '`';
    if (sign === '\\') at += 1;
    else if (sign === '`' && inText) open.pop();
    else if (sign === '`') open.push('`');
    else if (inText && program.startsWith('${', at)) {
      open.push('{');
      at += 1;
    } else if (!inText && (sign === "'" || sign === '"')) at = endOfText(program, sign, at) - 1;
    else if (!inText && sign === '{') open.push('{');
    else if (!inText && sign === '}') open.pop();
    if (open.length === 0) return at + 1;
  }
  return program.length;
}
