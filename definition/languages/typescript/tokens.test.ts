import { expect, test } from 'vitest';
import { tokenize } from './tokens.js';

const texts = (program: string) => tokenize(program).map(({ kind, text }) => `${kind} ${text}`);

test('words, texts and signs, without comments', () => {
  expect(texts("a: 'b\\'c', // d\n...e /* f */ => \"g\"")).toEqual([
    'word a',
    'sign :',
    "text b\\'c",
    'sign ,',
    'sign ...',
    'word e',
    'sign =>',
    'text g',
  ]);
});

test('a template is one text, with signs and quotes in it', () => {
  const template = '`a \\` { "b" } \\${`';
  expect(texts(`x = ${template}; y`)).toEqual(['word x', 'sign =', `text ${template.slice(1, -1)}`, 'sign ;', 'word y']);
});

test.each(['`a ${b} c`', "`${f({ d: `e ${'}'}` })}`", '`${"`"} {`'])('a template ends behind its expressions: %s', (template) => {
  expect(texts(`x = ${template}; y: 1`).slice(2)).toEqual([
    `text ${template.slice(1, -1)}`,
    ...['sign ;', 'word y', 'sign :', 'word 1'],
  ]);
});

test('a slash divides behind a value, and begins a regular expression elsewhere', () => {
  expect(texts('a / b / c')).toEqual(['word a', 'sign /', 'word b', 'sign /', 'word c']);
  expect(texts('a = /[{]"/; b')).toEqual(['word a', 'sign =', 'text /[{]"/', 'sign ;', 'word b']);
});
