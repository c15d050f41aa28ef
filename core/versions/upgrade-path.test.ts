import { expect, test } from 'vitest';
import { findDetour } from './upgrade-path.js';

test.each([
  ['15.20', '16', 'major-by-major', undefined],
  ['15.20', '15', 'major-by-major', undefined],
  ['1.21.4', '1.24.0', 'major-by-major', undefined],
  ['15.20', '17', 'major-by-major', 'version-skipped'],
  ['17.2', '15', 'major-by-major', 'version-older'],
  ['3.4.23', '3.5.1', 'minor-by-minor', undefined],
  ['3.4.23', '3.4', 'minor-by-minor', undefined],
  ['3.4.23', '3.6.0', 'minor-by-minor', 'version-skipped'],
  ['3.6.1', '3.5.9', 'minor-by-minor', 'version-older'],
  ['3.13.7', '4.0.1', 'minor-by-minor', undefined],
  ['3.13.7', '5.0.0', 'minor-by-minor', 'version-skipped'],
  ['15.20', '18', 'to-any-newer', undefined],
  ['15.20', '15', 'to-any-newer', undefined],
  ['17.2', '15', 'to-any-newer', 'version-older'],
  ['15', '17', undefined, undefined],
  ['own', '17', 'major-by-major', undefined],
] as const)('from %s to %s, %s: %s', (from, to, upgrades, code) => {
  expect(findDetour(from, to, { upgrades })?.code).toBe(code);
});

test('the way round is told', () => {
  expect(findDetour('15.20', '17', { upgrades: 'major-by-major' })).toEqual({
    code: 'version-skipped',
    why: '15.20 runs there, and the upgrade to 17 leads through 16: one major version at a time',
    hint: 'apply 16 first',
    by: '16',
  });
});
