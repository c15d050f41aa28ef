import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { columns, createScreen, paintFor, printable } from './screen.js';

const paint = paintFor({ colours: true });

test.each([
  ['moves of the cursor', 'a\u001b[2J\u001b[Hb', 'a\\u001b[2J\\u001b[Hb'],
  ['a title of the window', '\u001b]0;root\u0007', '\\u001b]0;root\\u0007'],
  ['the clipboard', '\u001b]52;c;cm0gLXJm\u001b\\', '\\u001b]52;c;cm0gLXJm\\u001b\\'],
  ['controls of eight bits', '\u009b2J', '\\u009b2J'],
  ['hidden text', '\u001b[8mx', '\\u001b[8mx'],
  ['a line written over', 'failed\rdone  ', 'failed\\u000ddone  '],
  ['text from right to left', 'a\u202etxt.exe', 'a\\u202etxt.exe'],
  ['nothing that is seen', 'a\u200bb', 'a\\u200bb'],
  ['a backspace', 'no\b\byes', 'no\\u0008\\u0008yes'],
])('%s of others is written out', (_, text, shown) => expect(printable(text)).toBe(shown));

test('colours of ours, tabs, lines and letters of all languages stay', () => {
  const text = `${paint('green', 'done')}\tGrüße 世界 👍\n`;
  expect(printable(text)).toBe(text);
  expect(printable('a\r\nb\u001b')).toBe('a\nb\\u001b');
  expect(columns([[paint('red', 'a'), 'b']])[0]).toBe(`${paint('red', 'a')}  b`);
});

test('a document in JSON says the same', () => {
  const value = { text: 'a\u001b[2J\u009b\u202e\u200b\u007f' };
  const written = printable(JSON.stringify(value));
  expect(JSON.parse(written)).toEqual(value);
  expect(/^[\u0020-\u007e]*$/.test(written)).toBe(true);
});

test('a screen writes nothing else', () => {
  const stream = new PassThrough();
  createScreen(stream as unknown as NodeJS.WriteStream, {}).write('a\u001b[5A');
  expect(String(stream.read())).toBe('a\\u001b[5A');
});

test('a value is given to a pipe as it is, and to a terminal as all else', () => {
  const [pipe, terminal] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
  for (const stream of [pipe, terminal]) createScreen(stream as unknown as NodeJS.WriteStream, {}).data('a\r\n\u001b[5A');
  expect(String(pipe.read())).toBe('a\r\n\u001b[5A');
  expect(String(terminal.read())).toBe('a\n\\u001b[5A');
});
