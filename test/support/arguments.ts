import { parseArgs } from 'node:util';

/** Whole numbers given as `--name 3`, each with its default. */
export function numbersOf<T extends Record<string, number>>(defaults: T): T {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ options });
  const read = ([name, preset]: [string, number]) => {
    const value = Number(values[name] ?? preset);
    if (!Number.isInteger(value) || value < 0) throw new Error(`--${name}: "${values[name]}" is no whole number`);
    return [name, value];
  };
  return Object.fromEntries(Object.entries(defaults).map(read)) as T;
}
