import { RuleFault } from './rule-fault.js';
import { type Token, tokenizeRule } from './rule-tokens.js';

/** An expression as a tree. */
export type Node =
  | { is: 'value'; value: string | number | boolean | null }
  | { is: 'list'; items: Node[] }
  | { is: 'name'; name: string }
  | { is: 'member'; of: Node; key: string }
  | { is: 'index'; of: Node; key: Node }
  | { is: 'call'; name: string; of?: Node; arguments: Node[] }
  | { is: 'not' | 'minus'; of: Node }
  | { is: 'choice'; test: Node; yes: Node; no: Node }
  | { is: 'two'; sign: string; left: Node; right: Node };

/** Signs between two things, the weakest first. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const DEEPEST = 50;

/** Reads an expression, a part of the Common Expression Language. @throws RuleFault */
export function parseRule(expression: string): Node {
  const reader = new Reader(tokenizeRule(expression));
  return reader.whole();
}

class Reader {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Node {
    const node = this.choice();
    if (this.next.kind !== 'end') throw this.fault();
    return node;
  }

  private get next(): Token {
    return this.tokens[this.at] as Token;
  }

  private take(text: string): boolean {
    const { kind, text: found } = this.next;
    const fits = found === text && (kind === 'sign' || (kind === 'name' && text === 'in'));
    if (fits) this.at++;
    return fits;
  }

  private expect(sign: string): void {
    if (!this.take(sign)) throw this.fault(`"${sign}" is missing`);
  }

  private fault(message?: string): RuleFault {
    const { kind, text } = this.next;
    const where = kind === 'end' ? 'at the end' : `before "${text}"`;
    return new RuleFault(
      message ? `${message} ${where}` : kind === 'end' ? 'the expression is incomplete' : `"${text}" does not belong there`,
    );
  }

  private choice(): Node {
    if (++this.depth > DEEPEST) throw new RuleFault(`an expression may be at most ${DEEPEST} deep`, 'make two rules of it');
    const condition = this.level(0);
    let node = condition;
    if (this.take('?')) {
      const chosen = this.choice();
      this.expect(':');
      node = { is: 'choice', test: condition, yes: chosen, no: this.choice() };
    }
    this.depth--;
    return node;
  }

  private level(level: number): Node {
    const signs = LEVELS[level];
    if (!signs) return this.unary();
    let left = this.level(level + 1);
    for (;;) {
      const sign = signs.find((one) => this.take(one));
      if (sign === undefined) return left;
      left = { is: 'two', sign, left, right: this.level(level + 1) };
    }
  }

  private unary(): Node {
    const signs: ('not' | 'minus')[] = [];
    while (this.next.kind === 'sign' && (this.next.text === '!' || this.next.text === '-')) {
      signs.push(this.next.text === '!' ? 'not' : 'minus');
      this.at++;
      if (signs.length > DEEPEST) throw new RuleFault(`an expression may be at most ${DEEPEST} deep`);
    }
    return signs.reduceRight<Node>((of, is) => ({ is, of }), this.inside());
  }

  /** Parses an operand with its accesses and calls: `service.public[0].from.size()`. */
  private inside(): Node {
    let node = this.single();
    for (;;) {
      if (this.take('.')) {
        const { kind, text: key } = this.next;
        if (kind !== 'name') throw this.fault('a name is missing');
        this.at++;
        node = this.take('(') ? { is: 'call', name: key, of: node, arguments: this.list(')') } : { is: 'member', of: node, key };
      } else if (this.take('[')) {
        node = { is: 'index', of: node, key: this.choice() };
        this.expect(']');
      } else return node;
    }
  }

  private single(): Node {
    const { kind, text } = this.next;
    if (this.take('(')) {
      const node = this.choice();
      this.expect(')');
      return node;
    }
    if (this.take('[')) return { is: 'list', items: this.list(']') };
    if (kind === 'end' || kind === 'sign') throw this.fault();
    this.at++;
    if (kind === 'number') return { is: 'value', value: Number(text) };
    if (kind === 'text') return { is: 'value', value: text };
    if (Object.hasOwn(WORDS, text)) return { is: 'value', value: WORDS[text] as boolean | null };
    return this.take('(') ? { is: 'call', name: text, arguments: this.list(')') } : { is: 'name', name: text };
  }

  private list(end: string): Node[] {
    const items: Node[] = [];
    if (this.take(end)) return items;
    do items.push(this.choice());
    while (this.take(','));
    this.expect(end);
    return items;
  }
}
