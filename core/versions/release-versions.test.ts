import { describe, expect, test } from 'vitest';
import { debianVersions, findHeldVersion, holdings, releasesOf } from './release-versions.js';

describe('versions by release', () => {
  const versions = debianVersions({ 12: '7.0', 13: '8.0' });

  test('are said in one line: the newest first, that of Debian 12 by default', () => {
    expect(versions).toEqual({
      ...{ default: '7.0', supported: ['8.0', '7.0'], source: 'debian' },
      releases: { 'debian-12': '7.0', 'debian-13': '8.0' },
    });
    expect(debianVersions({ 12: '4.9', 13: '4.9' }, { upgrades: 'major-by-major' })).toMatchObject({
      ...{ default: '4.9', supported: ['4.9'], upgrades: 'major-by-major' },
    });
    expect(debianVersions({ 12: null, 13: '8.1' })).toMatchObject({ default: '8.1', supported: ['8.1'] });
  });

  test.each([
    ['debian-13', '8.0'],
    ['ubuntu-24.04', undefined],
    ['toString', undefined],
    [undefined, undefined],
  ])('the archive of %s has %s', (release, version) => expect(findHeldVersion(versions, release)).toBe(version));

  test('a release may have none, and a taskserv may have no releases', () => {
    expect(findHeldVersion(debianVersions({ 12: '1.6', 13: null }), 'debian-13')).toBe(null);
    expect(findHeldVersion({}, 'debian-13')).toBe(undefined);
  });

  test('are told', () => {
    expect(holdings(debianVersions({ 12: '1.6', 13: null }))).toBe('debian-13 has none, debian-12 has 1.6');
    expect(releasesOf(debianVersions({ 12: '4.9', 13: '4.9' }), '4.9')).toEqual(['debian-12', 'debian-13']);
    expect(releasesOf({}, '4.9')).toEqual([]);
  });
});
