import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Cell } from '../../core/operation/operation.js';
import { progressOf } from '../fake-session.js';
import { cut, measureWidth } from '../program/screen.js';
import { LiveView } from './live-view.js';
import { matrix } from './matrix.js';

const plain = { paint: (_: string, text: string) => text, tick: 0 };
const cells: Cell[] = [
  { server: 'hub', state: 'done' },
  { server: 'hub', taskserv: 'redis', state: 'running', step: 'Start redis-server', done: 2, total: 3 },
  { server: 'web-1', state: 'unchanged' },
  { server: 'web-1', taskserv: 'nginx', state: 'failed', step: 'Start nginx' },
];

test('servers × taskservs, aligned', () => {
  expect(matrix(cells, { ...plain, width: 80 })).toEqual([
    '       server  redis  nginx',
    'hub    ✓       ⠋ 2/3',
    'web-1  =              ✗',
  ]);
});

test('where that is too wide, a line for each server', () => {
  expect(matrix(cells, { ...plain, width: 20 })).toEqual(['hub    ✓ server  ⠋ 2/3 redis', 'web-1  = server  ✗ nginx']);
});

test('a coloured text is cut by what is seen of it', () => {
  const red = '\u001b[31mabcdef\u001b[0m';
  expect([measureWidth(red), measureWidth(cut(red, 4)), cut('abc', 3)]).toEqual([6, 4, 'abc']);
  expect(cut(red, 4)).toBe('\u001b[31mabc\u001b[0m…');
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const ESC = '\u001b';
const PART = new RegExp(`${ESC}\\[\\??\\d*[A-Za-z]|\\n|\\r|[^${ESC}\\n\\r]+`, 'g');

/** Replays terminal output and returns the visible lines. */
function screenshot(text: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  for (const part of text.match(PART) ?? []) {
    if (part.startsWith(ESC)) {
      const [, count, letter] = /\[\??(\d*)([A-Za-z])$/.exec(part) ?? [];
      if (letter === 'A') row -= Number(count);
      if (letter === 'J') lines.splice(row, lines.length, '');
    } else if (part === '\n') {
      row += 1;
      lines[row] ??= '';
    } else lines[row] = part === '\r' ? '' : `${lines[row] ?? ''}${part}`;
  }
  return lines.filter((line) => line !== '');
}

test('the table is written over in place, never wider or higher than the terminal, and goes when it has told all', () => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const screen = { write, data: write, control: write, live: true, colours: false, columns: () => 24, rows: () => 5 };
  const view = new LiveView(screen);
  view.update(progressOf({ steps: { executed: 1, planned: 9 }, cells }));
  vi.advanceTimersByTime(1000);
  const lines = screenshot(written.join(''));
  expect(lines).toEqual([
    'demo  running  1/9 ste…',
    expect.stringMatching(/^hub {4}✓ server {2}. 2\/3…$/),
    'web-1  = server  ✗ ngi…',
    'hub/redis: Start redis…',
  ]);
  expect(written.length).toBe(10);
  view.end(false);
  expect(screenshot(written.join(''))).toEqual([]);
  expect(written.at(-1)).toBe(`${ESC}[?25h`);
});
