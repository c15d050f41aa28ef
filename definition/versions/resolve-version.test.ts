import { describe, expect, test } from 'vitest';
import type { Versions } from '../../core/taskserv/taskserv.js';
import { resolveVersion } from './resolve-version.js';

const asked = (constraint: string, supported: Versions['supported'], more: Partial<Versions> = {}) =>
  resolveVersion(constraint, { name: 'web', versions: { default: supported[0], supported, source: 'test', ...more } });

describe('a constraint', () => {
  test.each([
    ['>=15 <17', ['17', '16', '15'], '16'],
    ['>=15, <17', ['17', '16', '15'], '16'],
    ['15', ['16.1.0', '15.4.1', '15.4.0'], '15.4.1'],
    ['15.x', ['17', '15'], '15'],
    ['^15', ['17', '15'], '15'],
    ['~1.4', ['2.0', '1.4', '1.3'], '1.4'],
    ['~1.4', ['1.5.0', '1.4.9', '1.4.2'], '1.4.9'],
    ['1.4 || 2', ['3', '2', '1.4'], '2'],
    ['*', ['3', '2'], '3'],
    ['8.x', ['8.2302'], '8.2302'],
    ['9.18', ['9.20', '9.18'], '9.18'],
    ['>=3', ['3.0'], '3.0'],
    ['24.04', ['24.04'], '24.04'],
    ['>=24.04', ['24.10', '24.04'], '24.10'],
    ['3.13.x', ['4.0.1.2', '3.13.7.1'], '3.13.7.1'],
    ['0.1', ['0.2.0', '0.1.10'], '0.1.10'],
    ['>=1.10 <1.20', ['1.20.0', '1.10.0', '1.9.0'], '1.10.0'],
  ] as const)('%s of %j is %s', (constraint, supported, version) =>
    expect(asked(constraint, [...supported] as unknown as Versions['supported'])).toMatchObject({ version }),
  );

  test('a version that is named is that one, and not a newer one of its series', () => {
    expect(asked('15', ['15.4.1', '15'])).toEqual({ version: '15' });
    expect(asked('15.4.0', ['15.4.1', '15.4.0'])).toEqual({ version: '15.4.0' });
  });

  test.each([
    ['18', ['17', '15'], '"web" has no version "18"', 'supported: 17, 15'],
    ['>=18 <19', ['17', '15'], '"web" has no version ">=18 <19"', 'supported: 17, 15'],
    ['newest', ['17'], '"web" has no version "newest"', 'supported: 17'],
    ['>=', ['17'], '"web" has no version ">="', 'supported: 17'],
    ['<<3', ['17'], '"web" has no version "<<3"', 'supported: 17'],
    [
      '>=7.0.4',
      ['7.0'],
      '"web" has no version ">=7.0.4": which version of 7.0 a host gets, its archive says',
      'write "7.0"; supported: 7.0',
    ],
  ] as const)('%s of %j: %s', (constraint, supported, message, suggestion) =>
    expect(asked(constraint, [...supported] as unknown as Versions['supported'])).toMatchObject({ message, suggestion }),
  );

  test('what is withdrawn is not chosen, and is told of', () => {
    const withdrawn = { '1.4.3': 'it loses data (CVE-2026-1)' };
    expect(asked('1.4', ['1.4.3', '1.4.2'], { withdrawn })).toEqual({ version: '1.4.2', chosen: true });
    const supported = 'supported: 1.4.2';
    expect(asked('1.4.3', ['1.4.3', '1.4.2'], { withdrawn })).toEqual({
      message: 'version "1.4.3" of "web" is withdrawn: it loses data (CVE-2026-1)',
      suggestion: supported,
    });
    expect(asked('>=1.4.3', ['1.4.2'], { withdrawn })).toEqual({
      message: '"web" has no version ">=1.4.3": 1.4.3 is withdrawn: it loses data (CVE-2026-1)',
      why: '1.4.3 is withdrawn: it loses data (CVE-2026-1)',
      suggestion: supported,
    });
  });
});
