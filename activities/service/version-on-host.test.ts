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
    expect(versionOn(redis, '7.0', on(release))).toBe(version);
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
      'cannot install java: db: it is not for debian-13',
    );
  });
});
