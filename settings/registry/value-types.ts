import type { Tree, Value } from '../layers/values.js';

/** What a key may be. */
export type ValueType =
  | { kind: 'text' }
  | { kind: 'switch' }
  | { kind: 'number'; min: number; max: number }
  | { kind: 'choice'; choices: readonly string[] }
  /** Numbers by name: `{ demo: 5, hosts: 50 }`. */
  | { kind: 'rates' };

/** The type in words, for a person. */
export function typeText(type: ValueType): string {
  if (type.kind === 'choice') return type.choices.join(' | ');
  if (type.kind === 'number') return `a whole number from ${type.min} to ${type.max}`;
  return { text: 'a text', switch: 'true | false', rates: 'a map of numbers by name' }[type.kind];
}

const RATE = /^[a-z0-9-]+(?:\/[A-Za-z0-9_-]+)?$/;

/** Why a value is not of a type; undefined where it is. The value itself is not quoted: it may be a secret. */
export function misfit(type: ValueType, value: Value): string | undefined {
  const fits = {
    text: () => typeof value === 'string' && value !== '',
    switch: () => typeof value === 'boolean',
    number: () => type.kind === 'number' && Number.isInteger(value) && Number(value) >= type.min && Number(value) <= type.max,
    choice: () => type.kind === 'choice' && typeof value === 'string' && type.choices.includes(value),
    rates: () => isRates(value),
  }[type.kind]();
  return fits ? undefined : `it is not ${type.kind === 'choice' ? 'one of ' : ''}${typeText(type)}`;
}

/** A `null` among them takes away what a lower layer says of this name. */
const isRates = (value: Value): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, rate]) => RATE.test(name) && (rate === null || (typeof rate === 'number' && rate > 0)));

/** What a text of the environment or the command line says; undefined where it is no such value. */
export function valueOfText(type: ValueType, text: string): Value | undefined {
  const value = readText(type, text);
  return value === undefined || misfit(type, value) !== undefined ? undefined : value;
}

const SWITCHES: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

function readText(type: ValueType, text: string): Value | undefined {
  if (type.kind === 'switch') return Object.hasOwn(SWITCHES, text) ? SWITCHES[text] : undefined;
  if (type.kind === 'number') return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (type.kind !== 'rates') return text;
  const rates: Tree = {};
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const [, name = '', rate = ''] = /^([^=]+)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    if (!RATE.test(name)) return undefined;
    rates[name] = Number(rate);
  }
  return rates;
}

/** A value as the environment has it. */
export function textOfValue(value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, rate]) => `${name}=${rate}`)
    .join(' ');
}
