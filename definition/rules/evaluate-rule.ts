import { didYouMean } from '../source/did-you-mean.js';
import type { Node } from './parse-rule.js';
import { RuleFault } from './rule-fault.js';
import { callAlone, callOn, checkFunction, isData, kindOf, same, type Value } from './rule-functions.js';

/** How much work rules may make of one definition, in parts of expressions. */
const MOST_STEPS = 2_000_000;

/** Counts the steps of all rules of a definition. */
export class Budget {
  private steps = 0;

  /** @throws RuleFault where it was too much */
  step(): void {
    if (++this.steps > MOST_STEPS) throw new RuleFault('the rules take too long over this definition', 'make the rules simpler');
  }
}

/** Values of names. A value may be computed at its first use, and then throw a `RuleFault`. */
export type Names = Readonly<Record<string, Value | (() => Value)>>;

/** Evaluates an expression. It uses only data and own properties, and runs no code of others. @throws RuleFault */
export function evaluateRule(node: Node, names: Names, budget: Budget): Value {
  budget.step();
  const inner = (one: Node, more?: Names): Value => evaluateRule(one, more ? { ...names, ...more } : names, budget);
  switch (node.is) {
    case 'value':
      return node.value;
    case 'list':
      return node.items.map((item) => inner(item));
    case 'name':
      return named(node.name, names);
    case 'member':
      return memberOf(inner(node.of), node.key, textOf(node.of));
    case 'index':
      return indexOf(inner(node.of), inner(node.key), textOf(node.of));
    case 'call':
      return call(node, inner, budget);
    case 'not':
      return !truth(inner(node.of), '!');
    case 'minus':
      return -number(inner(node.of), '-');
    case 'choice':
      return truth(inner(node.test), '?') ? inner(node.yes) : inner(node.no);
    case 'two':
      return two(node.sign, node.left, node.right, inner, () => budget.step());
  }
}

type Inner = (node: Node, more?: Names) => Value;

function named(name: string, names: Names): Value {
  const value = Object.hasOwn(names, name) ? names[name] : undefined;
  if (value === undefined) throw new RuleFault(`there is no "${name}" here`, didYouMean(name, Object.keys(names)));
  return typeof value === 'function' ? value() : value;
}

/** As it is written, for errors. */
function textOf(node: Node): string {
  if (node.is === 'name') return node.name;
  return node.is === 'member' ? `${textOf(node.of)}.${node.key}` : 'it';
}

function memberOf(value: Value, key: string, said: string): Value {
  if (!isData(value)) throw new RuleFault(`"${said}" is ${kindOf(value)}: it has no "${key}"`);
  const found = Object.hasOwn(value, key) ? value[key] : undefined;
  if (found === undefined)
    throw new RuleFault(`"${said}" has no "${key}"`, didYouMean(key, Object.keys(value)) ?? `has(${said}.${key}) asks for it`);
  return found;
}

function indexOf(value: Value, key: Value, said: string): Value {
  if (typeof key === 'string') return memberOf(value, key, said);
  const found = Array.isArray(value) && typeof key === 'number' ? value[key] : undefined;
  if (found === undefined) throw new RuleFault(`"${said}" has nothing at ${JSON.stringify(key)}`);
  return found;
}

/** Functions that go through a list by a name: `services.all(one, one.public.size() == 0)`. */
const THROUGH: Readonly<Record<string, (list: readonly Value[], judge: (one: Value) => Value) => Value>> = {
  all: (list, judge) => list.every((one) => truth(judge(one), 'all')),
  exists: (list, judge) => list.some((one) => truth(judge(one), 'exists')),
  filter: (list, judge) => list.filter((one) => truth(judge(one), 'filter')),
  map: (list, judge) => list.map(judge),
};

function call(node: Extract<Node, { is: 'call' }>, inner: Inner, budget: Budget): Value {
  const { name, of, arguments: given } = node;
  if (name === 'has' && !of) return has(given, inner);
  if (!of)
    return callAlone(
      name,
      given.map((one) => inner(one)),
    );
  checkFunction(name);
  const through = Object.hasOwn(THROUGH, name) ? THROUGH[name] : undefined;
  const value = inner(of);
  if (!through)
    return callOn(
      value,
      name,
      given.map((one) => inner(one)),
      () => budget.step(),
    );
  const [variable, judge] = given;
  if (variable?.is !== 'name' || !judge || given.length !== 2)
    throw new RuleFault(`"${name}" takes a name and an expression`, `LIST.${name}(one, …)`);
  if (!Array.isArray(value)) throw new RuleFault(`"${name}" goes through a list, this is ${kindOf(value)}`);
  return through(value, (one) => inner(judge, { [variable.name]: one }));
}

/** Whether there is something of this name: the way to ask for what may be missing. */
function has([asked, ...more]: Node[], inner: Inner): boolean {
  if (asked?.is !== 'member' || more.length > 0) throw new RuleFault('"has" takes one name', 'has(service.config.tls)');
  const holder = inner(asked.of);
  return isData(holder) && Object.hasOwn(holder, asked.key) && holder[asked.key] !== null;
}

function two(sign: string, left: Node, right: Node, inner: Inner, step: () => void): Value {
  if (sign === '&&') return truth(inner(left), sign) && truth(inner(right), sign);
  if (sign === '||') return truth(inner(left), sign) || truth(inner(right), sign);
  const [a, b] = [inner(left), inner(right)];
  if (sign === '==') return same(a, b, step);
  if (sign === '!=') return !same(a, b, step);
  if (sign === 'in') {
    if (Array.isArray(b)) return b.some((one) => same(one, a, step));
    if (isData(b) && typeof a === 'string') return Object.hasOwn(b, a);
    throw new RuleFault(`"in" looks into a list or a map, this is ${kindOf(b)}`);
  }
  if (sign === '+' && typeof a === 'string' && typeof b === 'string') return joined(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compared(sign, a, b);
  return counted(sign, number(a, sign), number(b, sign));
}

/** Characters of a text that an expression makes. */
const LONGEST = 10_000;

function joined(a: string, b: string): string {
  if (a.length + b.length > LONGEST) throw new RuleFault(`a text of a rule has at most ${LONGEST} characters`);
  return a + b;
}

function compared(sign: string, a: string | number, b: string | number): boolean {
  if (sign === '<') return a < b;
  if (sign === '<=') return a <= b;
  if (sign === '>') return a > b;
  if (sign === '>=') return a >= b;
  throw new RuleFault(`"${sign}" is for numbers`);
}

function counted(sign: string, a: number, b: number): Value {
  if (sign === '+') return a + b;
  if (sign === '-') return a - b;
  if (sign === '*') return a * b;
  if ((sign === '/' || sign === '%') && b === 0) throw new RuleFault('nothing can be divided by 0');
  if (sign === '/') return a / b;
  return sign === '%' ? a % b : compared(sign, a, b);
}

function truth(value: Value, sign: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new RuleFault(`"${sign}" asks for true or false, this is ${kindOf(value)}`);
}

function number(value: Value, sign: string): number {
  if (typeof value === 'number') return value;
  throw new RuleFault(`"${sign}" is for numbers, this is ${kindOf(value)}`);
}
