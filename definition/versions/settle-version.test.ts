import { describe, expect, test } from 'vitest';
import type { LockEntry } from '../../core/schema/versions/lock-file.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { debianVersions } from '../../core/versions/release-versions.js';
import { findLockedVersion, type LockSession } from '../lock-file/locked-version.js';
import { Findings } from '../source/findings.js';
import { resolveVersion } from './resolve-version.js';
import { settleVersion } from './settle-version.js';

const redis = { name: 'redis', versions: debianVersions({ 12: '7.0', 13: '8.0' }) } as AnyTaskserv;
const influxdb = { name: 'influxdb', versions: debianVersions({ 12: '1.6', 13: null }) } as AnyTaskserv;
const own = { name: 'own', versions: { default: '1', supported: ['2', '1'], source: 'own' } } as unknown as AnyTaskserv;
const at = ['servers', 0, 'taskservs', 0];

function settled(taskserv: AnyTaskserv, asked: string | undefined, release: string | undefined) {
  const findings = new Findings();
  const { version, chosen } = asked === undefined ? {} : resolveVersion(asked, taskserv);
  const found = settleVersion(taskserv, { asked, version, chosen, at }, { server: 'web', release }, findings);
  return { found, told: findings.all.map(({ path, message, suggestion }) => [path.join('.'), message, suggestion]) };
}

describe('the version on a server', () => {
  test.each([
    [undefined, 'debian-12', { version: '7.0' }],
    [undefined, 'debian-13', { version: '8.0' }],
    [undefined, undefined, { version: '7.0' }],
    [undefined, 'ubuntu-24.04', { version: '7.0' }],
    ['8.0', 'debian-13', { version: '8.0', allowed: ['8.0'] }],
    ['>=7', 'debian-12', { version: '7.0', constraint: '>=7', allowed: ['8.0', '7.0'] }],
    ['7.0', undefined, { version: '7.0', allowed: ['7.0'] }],
  ])('asked for %s on %s', (asked, release, found) => expect(settled(redis, asked, release)).toEqual({ found, told: [] }));

  test('is refused where the archive of its release has another one', () => {
    expect(settled(redis, '7.0', 'debian-13').told).toEqual([
      ['servers.0.taskservs.0.version', '"redis" has no version "7.0" on debian-13', 'debian-13 has 8.0, debian-12 has 7.0'],
    ]);
    expect(settled(redis, '^8', 'debian-12').told).toHaveLength(1);
  });

  test('is refused where its release has none', () => {
    const told = [['servers.0.taskservs.0', '"influxdb" is not for debian-13', 'debian-13 has none, debian-12 has 1.6']];
    expect(settled(influxdb, undefined, 'debian-13').told).toEqual(told);
  });

  test('is as it was where no archive decides', () => {
    expect(settled(own, '2', 'debian-13')).toEqual({ found: { version: '2' }, told: [] });
    expect(settled(own, undefined, 'debian-13')).toEqual({ found: { version: '1' }, told: [] });
  });
});

describe('the version that a lock file has', () => {
  const file = (entry: LockEntry) => ({
    ...{ path: 'a/provisioning.lock', infras: { shop: { redis: [entry], own: [entry] } } },
    ...{ place: () => ({ line: 1, column: 1 }), folder: { dev: 1, ino: 1 } },
  });
  function locked(taskserv: AnyTaskserv, entry: LockEntry, wanted: { version: string; release?: string }) {
    const findings = new Findings();
    const locking: LockSession = { file: file(entry), infra: 'shop', noted: [] };
    const version = findLockedVersion(taskserv, { server: 'web', asked: entry.asked, at, ...wanted }, locking, findings);
    return [version, ...findings.all.map(({ message }) => message)];
  }

  test('of a release is that of its archive, or it is refused', () => {
    const entry = { asked: '>=7', release: 'debian-12', version: '7.0' };
    expect(locked(redis, entry, { version: '7.0', release: 'debian-12' })).toEqual(['7.0']);
    expect(locked(redis, entry, { version: '7.2', release: 'debian-12' })).toEqual([
      '7.2',
      'provisioning.lock has 7.0 of "redis" for ">=7", and the archive of debian-12 has 7.2',
    ]);
    expect(locked(redis, entry, { version: '8.0', release: 'debian-13' })).toEqual(['8.0']);
  });

  test('is refused where it was withdrawn since', () => {
    const withdrawn = { ...own, versions: { ...own.versions, withdrawn: { 1: 'it loses data' } } };
    expect(locked(withdrawn, { asked: '>=1', version: '1' }, { version: '2' })).toEqual([
      '2',
      'provisioning.lock has 1 of "own" for ">=1", which is withdrawn: it loses data',
    ]);
  });
});
