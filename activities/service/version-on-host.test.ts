import { describe, expect, test } from 'vitest';
import { debianVersions } from '../../core/versions/release-versions.js';
import { refuseOtherRelease, versionOn } from './version-on-host.js';

const redis = { name: 'redis', versions: debianVersions({ 12: '7.0', 13: '8.0' }) };
const on = (release?: string) => ({ name: 'db', ...(release !== undefined && { release }) });

describe('the version on a host that was looked at', () => {
  test.each([
    ['debian-13', '8.0'],
    ['debian-12', '7.0'],
    ['ubuntu-24.04', '7.0'],
    [undefined, '7.0'],
  ])('%s gets %s, whatever the definition supposed', (release, version) => {
    expect(versionOn(redis, { version: '7.0' }, on(release))).toBe(version);
  });

  test('any is right where the definition names none, as definitions of former releases do', () => {
    expect(() => refuseOtherRelease(redis, { version: '7.0' }, on('debian-13'))).not.toThrow();
    expect(() => refuseOtherRelease(redis, { version: '7.0', allowed: ['8.0', '7.0'] }, on('debian-13'))).not.toThrow();
  });

  test('another than the one that is named is refused, with what the archive has', () => {
    expect(() => refuseOtherRelease(redis, { version: '7.0', allowed: ['7.0'] }, on('debian-13'))).toThrow(
      'cannot install redis 7.0: db: the archive of debian-13 has 8.0',
    );
    const asked = { version: '7.0', constraint: '~7.0', allowed: ['7.0'] };
    expect(() => refuseOtherRelease(redis, asked, on('debian-13'))).toThrow('cannot install redis ~7.0');
  });

  test('a release that has none is refused', () => {
    const java = { name: 'java', versions: debianVersions({ 12: '17', 13: null }) };
    expect(() => refuseOtherRelease(java, { version: '17' }, on('debian-13'))).toThrow(
      'cannot install java: db: it does not support debian-13',
    );
  });

  describe('that may come from further sources of apt', () => {
    const postgres = { name: 'postgres', versions: debianVersions({ 12: '15', 13: '17' }, { further: true }) };

    test('and is named is left to apt', () => {
      const named = { version: '15', allowed: ['15'] };
      expect(() => refuseOtherRelease(postgres, named, on('debian-13'))).not.toThrow();
      expect(versionOn(postgres, named, on('debian-13'))).toBe('15');
    });

    test.each([
      ['15', undefined],
      ['17', '>=15'],
    ])('and is supposed to be %s is that of the archive, or has to be named', (version, constraint) => {
      const spec = { version, ...(constraint && { constraint, allowed: ['17', '15'] }) };
      const [same, other] = version === '15' ? ['debian-12', 'debian-13'] : ['debian-13', 'debian-12'];
      expect(() => refuseOtherRelease(postgres, spec, on(same))).not.toThrow();
      expect(() => refuseOtherRelease(postgres, spec, on(other))).toThrow(/the archive of debian-1[23] has 1[57]/);
    });
  });
});
