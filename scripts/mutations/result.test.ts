import { expect, test } from 'vitest';
import { reportResult, type Tried } from './result.js';

const tried = (path: string, rest: Partial<Tried>): Tried => ({
  ...{ path, line: 1, kind: 'value', start: 0, end: 4, text: 'false', whole: [0, 4], what: `${path}:1: value: true → false` },
  ...{ tests: 2, seconds: 3, processor: 4, timedOut: false, outcome: 'missed' },
  ...rest,
});

test('names what was left out and what was missed, and counts by room and in all', () => {
  const all = [
    tried('core/a.ts', { outcome: 'noticed', by: 'core/a.test.ts' }),
    tried('cli/a.ts', { outcome: 'noticed', by: 'cli/a.test.ts', timedOut: true, processor: 10 }),
    tried('core/b.ts', { tests: 0, processor: 1 }),
    tried('core/c.ts', { tests: 1, processor: 1 }),
  ];
  expect(reportResult(7, all, { leftOut: { 'cli/x.test.ts': 'fails' } }).split('\n')).toEqual([
    'left out: cli/x.test.ts: it fails without a change',
    'missed: core/b.ts:1: value: true → false: no test reaches it',
    'missed: core/c.ts:1: value: true → false: 1 test file reaches it',
    'cli: 1 of 1',
    'core: 1 of 3',
    'seed 7: 2 of 4 noticed (50 %), 1 of them by a time-out, 4.0 s of a processor for each',
  ]);
});
