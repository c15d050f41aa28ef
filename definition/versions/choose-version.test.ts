import { describe, expect, test } from 'vitest';
import type { Versions } from '../../core/taskserv/taskserv.js';
import { checkNamedVersion, newestWithin, refuseWay } from './choose-version.js';

const service = (supported: string[], more: Partial<Versions> = {}) => ({
  name: 'shop',
  versions: { default: supported[0] ?? '', supported: supported as [string, ...string[]], source: 'test', ...more },
});
const SHOP = service(['4.0.1', '3.4.0', '3.3.5', '3.3.4', '3.3.3'], { withdrawn: { '3.3.5': 'it loses data' } });
const STEPS = service(['17', '16', '15'], { upgrades: 'major-by-major' });
const runs = (...versions: string[]) => versions.map((version, index) => ({ on: `web-${index + 1}`, version }));

describe('a version that is named', () => {
  test('is that one, or the newest of a constraint that is not withdrawn', () => {
    expect(['3.3.4', '3.3', '~3.3', '>=3 <5'].map((asked) => checkNamedVersion(asked, SHOP))).toEqual([
      '3.3.4',
      '3.3.4',
      '3.3.4',
      '4.0.1',
    ]);
  });

  test.each([
    ['3.3.5', 'version-withdrawn', 'this version is withdrawn: it loses data', 'supported: 4.0.1, 3.4.0, 3.3.4, 3.3.3'],
    ['3.3.9', 'version-unsupported', 'this release does not support it', 'nearest: 3.4.0; supported: 4.0.1, 3.4.0'],
    ['5', 'version-unsupported', 'this release does not support it', 'nearest: 4.0.1; supported'],
    ['latest', 'version-unsupported', 'this release does not support it', 'supported: 4.0.1'],
  ])('%s is refused: %s', (asked, code, why, hint) => {
    const details = { code, blame: 'user', why, hint: expect.stringContaining(hint) };
    expect(() => checkNamedVersion(asked, SHOP)).toThrow(expect.objectContaining({ details: expect.objectContaining(details) }));
  });
});

describe('the way to a version', () => {
  test('is open to a newer one, to the same one, and within a series', () => {
    refuseWay(SHOP, '4.0.1', runs('3.3.3', '4.0.1'));
    refuseWay(STEPS, '16', runs('15.20', '16.4'));
  });

  test.each([
    [SHOP, '3.3.4', 'version-older', '3.4.0 runs there, which is newer', 'write `version: 3.3.4` into the definition'],
    [STEPS, '15', 'version-older', '16.4 runs there, and its data is not for 15', 'restore a backup'],
    [STEPS, '17', 'version-skipped', '15.20 runs there, and the upgrade to 17 leads through 16', 'upgrade with --to 16 first'],
  ])('is not open for %o to %s', (taskserv, to, code, why, hint) => {
    const from = { '3.3.4': '3.4.0', 15: '16.4', 17: '15.20' }[to] ?? '';
    const details = { code, blame: 'user', on: 'web-2', why: expect.stringContaining(why), hint: expect.stringContaining(hint) };
    expect(() => refuseWay(taskserv, to, runs(to, from))).toThrow(
      expect.objectContaining({ details: expect.objectContaining(details) }),
    );
  });

  test('is told of a definition as it is said there', () => {
    const said = [{ on: 'shop.yaml', version: '15', says: 'the definition has 15' }];
    expect(() => refuseWay(STEPS, '17', said)).toThrow('shop.yaml: the definition has 15, and the upgrade to 17 leads through 16');
  });
});

test.each([
  ['patch', ['3.3.3'], '3.3.4'],
  ['patch', ['3.3.4', '3.3.3'], '3.3.4'],
  ['minor', ['3.3.3'], '3.4.0'],
  ['minor', ['3.3.3', '4.0.1'], undefined],
  ['major', ['3.3.3', '3.4.0'], '4.0.1'],
  ['patch', ['4.0.1'], '4.0.1'],
  ['major', ['5.0.0'], undefined],
] as const)('the newest %s of what runs %o is %s', (strategy, versions, newest) => {
  expect(newestWithin(strategy, SHOP, runs(...versions))).toBe(newest);
});

test('the newest that can be reached at once, where majors come one by one', () => {
  expect(newestWithin('major', STEPS, runs('15.20'))).toBe('16');
  expect(newestWithin('minor', STEPS, runs('15.20'))).toBe('15');
  expect(newestWithin('major', STEPS, runs('15.20', '17.1'))).toBeUndefined();
});
