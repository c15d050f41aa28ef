import { expect, test } from 'vitest';
import { readDotenv, writeDotenv } from './dotenv.js';

const valuesOf = (text: string) => {
  const { entries, faults } = readDotenv(text);
  return { values: Object.fromEntries(entries.map(({ name, value }) => [name, value])), faults };
};

// JavaScript's `$` does not match before the last line end.
test.each(['', '\n', '\r\n', '\nB=2\n', ' \n', '\n\n# c'])('a comment stands behind a value, before %j', (rest) => {
  for (const written of ['"x" # c', "'x'# c", 'x # c', '"x"', '"x" #'])
    expect(valuesOf(`A=${written}${rest}`)).toEqual({ values: { A: 'x', ...(rest.includes('B') && { B: '2' }) }, faults: [] });
});

test('anything else behind a quoted value is a fault', () => {
  for (const rest of ['y', ' y # c', ' y\n'])
    expect(valuesOf(`A="x"${rest}`).faults).toEqual([{ line: 1, message: 'something follows the closing quote' }]);
});

test('what is written is read again', () => {
  const values = { A: 'it\'s "q" \\ $HOME `x` #1\nline two\r', B: '', C: ' spaces ' };
  expect(valuesOf(writeDotenv(new Map(Object.entries(values))))).toEqual({ values, faults: [] });
});
