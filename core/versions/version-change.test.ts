import { describe, expect, test } from 'vitest';
import { isOfSeries, versionChange } from './version-change.js';

describe('versions', () => {
  test.each([
    ['15.4', '17', 'major'],
    ['9.18.1', '9.20.0', 'minor'],
    ['9.18', '9.18.49', 'patch'],
    ['1.2.3.4', '1.2.3.5', 'patch'],
    ['3.0pl1', '3.0pl2', undefined],
    ['7.0', '7.0.0', undefined],
  ] as const)('from %s to %s: %s', (from, to, change) => expect(versionChange(from, to)).toBe(change));

  test.each([
    ['15.20', '15', true],
    ['15', '15', true],
    ['150', '15', false],
    ['7', '7.0', false],
    ['3.0pl1', '3.0', true],
  ])('%s is of the series %s: %s', (of, series, is) => expect(isOfSeries(of, series)).toBe(is));
});
