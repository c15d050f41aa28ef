import { expect, test } from 'vitest';
import { text } from '../index.js';
import { differences } from './differences.js';
import { joinLines, linesOf, splitIntoLines, textOf } from './lines.js';

const ref = { $secret: 'pw' };

test.each([
  ['a\n', ['a']],
  ['a\n\nb\n', ['a', '', 'b']],
  ['\n', ['']],
  [text`a '${ref}'\nb\n`, [["a '", ref, "'"], 'b']],
  [text`${ref}\n${ref}${ref}\n`, [[ref], [ref, ref]]],
])('%j is the lines %j, and these are it', (written, lines) => {
  expect(linesOf(written)).toEqual(lines);
  expect(textOf(lines)).toEqual(written);
});

test.each([[''], ['a'], ['a\nb'], [text`a\n${ref}`]])('%j does not end a line, and stays a text', (content) => {
  expect(linesOf(content)).toBeUndefined();
  expect(splitIntoLines({ path: '/a', content })).toEqual({ path: '/a', content });
});

test('a file keeps the order of its keys', () => {
  const file = { path: '/a', content: 'x\n', mode: '0600' };
  expect(Object.keys(splitIntoLines(file))).toEqual(['path', 'lines', 'mode']);
  expect(joinLines(splitIntoLines(file))).toEqual(file);
});

test('differences are named at the innermost place', () => {
  expect(differences([{ a: ['x', 'y'], b: 1 }], [{ a: ['x', 'z'], c: 2 }, 3], 'steps')).toEqual([
    { at: 'steps[0].a[1]', expected: 'y', actual: 'z' },
    { at: 'steps[0].b', expected: 1, actual: undefined },
    { at: 'steps[0].c', expected: undefined, actual: 2 },
    { at: 'steps[1]', expected: undefined, actual: 3 },
  ]);
});
