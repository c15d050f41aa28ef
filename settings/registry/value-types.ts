import { type JsonSchema, problemIn } from '../../core/encoding/json-schema.js';
import { SHARE } from '../../core/operation/rolling.js';
import type { Tree, Value } from '../layers/values.js';

/** Type of a key. */
export type ValueType =
  /** Text, optionally with a form: a regular expression and its description. */
  | { kind: 'text'; form?: { pattern: string; words: string } }
  | { kind: 'switch' }
  | { kind: 'number'; min: number; max: number }
  | { kind: 'choice'; choices: readonly string[] }
  /** Number from 1 on, or a share such as `25%`. */
  | { kind: 'share' }
  /** Numbers by name: `{ demo: 5, hosts: 50 }`. */
  | { kind: 'rates' }
  /** Field of a taskserv, with its schema. */
  | { kind: 'field'; schema: JsonSchema; words: string /** A single value, replaced and never merged. */; whole?: true };

/** Returns the type in words, for a person. */
export function typeText(type: ValueType): string {
  if (type.kind === 'choice') return type.choices.join(' | ');
  if (type.kind === 'number') return `a whole number from ${type.min} to ${type.max}`;
  if (type.kind === 'field') return type.words;
  if (type.kind === 'text') return type.form?.words ?? 'a text';
  return { share: 'a number or a share such as 25%', switch: 'true | false', rates: 'a map of numbers by name' }[type.kind];
}

const RATE = /^[a-z0-9-]+(?:\/[A-Za-z0-9_-]+)?$/;

/** Returns why a value does not match a type; undefined if it does. The value is not quoted, since it may be secret. */
export function misfit(type: ValueType, value: Value): string | undefined {
  if (type.kind === 'field') return fieldMisfit(type, value);
  const fits = {
    text: () =>
      type.kind === 'text' &&
      typeof value === 'string' &&
      value !== '' &&
      (type.form === undefined || new RegExp(type.form.pattern).test(value)),
    switch: () => typeof value === 'boolean',
    number: () => type.kind === 'number' && Number.isInteger(value) && Number(value) >= type.min && Number(value) <= type.max,
    choice: () => type.kind === 'choice' && typeof value === 'string' && type.choices.includes(value),
    share: () => (typeof value === 'string' ? SHARE.test(value) : Number.isInteger(value) && Number(value) >= 1),
    rates: () => isRates(value),
  }[type.kind]();
  return fits ? undefined : `it is not ${type.kind === 'choice' ? 'one of ' : ''}${typeText(type)}`;
}

/** Returns why a text of the environment or the command line is not a value of a type. */
export const misfitText = (type: ValueType): string =>
  type.kind === 'field' ? `it is not of the type "${type.words}"` : `it is not ${typeText(type)}`;

function fieldMisfit({ schema, words }: Extract<ValueType, { kind: 'field' }>, value: Value): string | undefined {
  const why = problemIn(schema, withoutNulls(value), true);
  // For a nested problem, its place is more useful than the whole type.
  return why && (why.startsWith('the request: ') ? `it is not of the type "${words}"` : why);
}

/** Removes nulls, which in a map remove the value of a lower layer. */
const withoutNulls = (value: Value): Value =>
  isMap(value) ? Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null)) : value;

const isMap = (value: Value): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Validates rates. A `null` among them removes the value of a lower layer. */
const isRates = (value: Value): boolean =>
  isMap(value) &&
  Object.entries(value).every(([name, rate]) => RATE.test(name) && (rate === null || (typeof rate === 'number' && rate > 0)));

/** Returns the value in a text of the environment or the command line; undefined if it is invalid. */
export function valueOfText(type: ValueType, text: string): Value | undefined {
  return readings(type, text).find((value) => misfit(type, value) === undefined);
}

const SWITCHES: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

/** Returns the possible values of a text; the first valid one is used. */
function readings(type: ValueType, text: string): Value[] {
  const switches = Object.hasOwn(SWITCHES, text) ? [SWITCHES[text] as boolean] : [];
  if (type.kind === 'switch') return switches;
  if (type.kind === 'number') return /^\d{1,9}$/.test(text) ? [Number(text)] : [];
  if (type.kind === 'share') return [/^\d{1,9}$/.test(text) ? Number(text) : text];
  if (type.kind === 'field') return [text, ...asJson(text), ...switches];
  return type.kind === 'rates' ? rates(text) : [text];
}

/** Parses lists, maps and numbers of a field, which are written as JSON. */
function asJson(text: string): Value[] {
  try {
    return [JSON.parse(text) as Value];
  } catch {
    return [];
  }
}

function rates(text: string): Value[] {
  const found: Tree = {};
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name = '', rate = ''] = /^([^=]+)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    if (!RATE.test(name)) return [];
    found[name] = Number(rate);
  }
  return [found];
}

/** Returns a value in the form of a variable. */
export function textOfValue(value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (!isRates(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, rate]) => `${name}=${rate}`)
    .join(' ');
}
