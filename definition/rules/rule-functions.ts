import { didYouMean } from '../source/did-you-mean.js';
import { RuleFault } from './rule-fault.js';

/** Values of expressions: JSON data. */
export type Value = string | number | boolean | null | readonly Value[] | Data;
export interface Data {
  readonly [key: string]: Value;
}

export const isData = (value: Value): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Type of a value in words. */
export function kindOf(value: Value): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return (
    { string: 'a text', number: 'a number', boolean: 'true or false', object: 'a map' }[typeof value as string] ?? 'something else'
  );
}

/** Whether two values are alike in all that is in them. @param step is called for each thing that is looked at */
export function same(a: Value, b: Value, step: () => void): boolean {
  step();
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => same(one, b[index] as Value, step));
  if (!isData(a) || !isData(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key] as Value, b[key] as Value, step))
  );
}

type OnText = (text: string, argument: string) => boolean;
const TEXTS: Readonly<Record<string, OnText>> = {
  contains: (text, argument) => text.includes(argument),
  startsWith: (text, argument) => text.startsWith(argument),
  endsWith: (text, argument) => text.endsWith(argument),
};
const KNOWN = ['all', 'contains', 'endsWith', 'exists', 'filter', 'map', 'size', 'startsWith', 'sum'];

/** @throws RuleFault for what is no function of a value */
export function checkFunction(name: string): void {
  if (!KNOWN.includes(name)) throw new RuleFault(`there is no function "${name}"`, didYouMean(name, KNOWN));
}

/** Calls a function of a value. @param step is called for each entry that the function reads @throws RuleFault */
export function callOn(value: Value, name: string, given: readonly Value[], step: () => void): Value {
  if (name === 'size' && given.length === 0) return sizeOf(value);
  if (name === 'sum' && given.length === 0) return sumOf(value, step);
  const [argument, ...more] = given;
  const onText = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  if (!onText || argument === undefined || more.length > 0) throw new RuleFault(`"${name}" takes one thing in its brackets`);
  if (name === 'contains' && Array.isArray(value)) return value.some((one: Value) => same(one, argument, step));
  if (typeof value === 'string' && typeof argument === 'string') return onText(value, argument);
  throw new RuleFault(`"${name}" is for texts, this is ${kindOf(typeof value === 'string' ? argument : value)}`);
}

/** Calls a function without a value before it. @throws RuleFault */
export function callAlone(name: string, given: readonly Value[]): Value {
  const [value, ...more] = given;
  if (name === 'size' && value !== undefined && more.length === 0) return sizeOf(value);
  throw new RuleFault(`there is no function "${name}"`, didYouMean(name, ['has', 'size']));
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  if (isData(value)) return Object.keys(value).length;
  throw new RuleFault(`"size" is for lists, maps and texts, this is ${kindOf(value)}`);
}

function sumOf(value: Value, step: () => void): number {
  if (!Array.isArray(value)) throw new RuleFault(`"sum" is for lists of numbers, this is ${kindOf(value)}`);
  return value.reduce<number>((sum, one: Value) => {
    step();
    if (typeof one !== 'number') throw new RuleFault(`"sum" is for lists of numbers, in this one is ${kindOf(one)}`);
    return sum + one;
  }, 0);
}
