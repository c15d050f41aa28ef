import { expect, test } from 'vitest';
import type { UndoOutcome } from '../../core/operation/to-undo.js';
import { outcomesText } from './result.js';

const one = (on: string, outcome: UndoOutcome['outcome']): UndoOutcome => ({ on, outcome });
const outcomes = [
  one('taskserv haproxy on lb', 'undone'),
  one('server web-2', 'cannot-be-undone'),
  one('taskserv redis on hub', 'stays'),
  one('taskserv nginx on web-1', 'nothing-to-undo'),
  one('the definition', 'undone'),
];

test('what was rolled back is named by what became of it, and what is left behind is not among it', () => {
  expect(outcomesText({ outcomes })).toBe(
    [
      'undone: taskserv haproxy on lb, the definition',
      'nothing to undo: taskserv nginx on web-1',
      'stays, as a repair: taskserv redis on hub',
      '',
    ].join('\n'),
  );
  expect(outcomesText({ outcomes, of: 'another' })).not.toContain('redis');
  expect(outcomesText({})).toBe('');
});

test('of many the first are named, and the rest is counted', () => {
  const many = Array.from({ length: 40 }, (_, index) => one(`server web-${index}`, 'undone'));
  expect(outcomesText({ outcomes: many })).toMatch(/^undone: server web-0, .*server web-11, and 28 more\n$/);
});
