import { describe, expect, test } from 'vitest';
import type { Inventory } from '../../core/infra/inventory.js';
import type { HostStatus, ServiceStatus } from '../../core/operation/host-status.js';
import { registries } from '../../definition/registries/registries.js';
import { type KnownVersions, readKnownVersions } from './known-versions.js';
import { isOutdated, type ServiceVersions, serviceVersions } from './service-versions.js';

const spec = (name: string, version: string, more: object = {}) => ({
  name,
  version,
  config: {},
  endpoints: [],
  after: [],
  ...more,
});
const inventoryWith = (...taskservs: object[]) =>
  ({
    ...{ workspace: 'w', infra: 'shop', uuid: 'u', networks: {} },
    servers: { web: { services: {} } },
    definition: { servers: [{ name: 'web', taskservs }] },
  }) as unknown as Inventory;
const host = (...services: Pick<ServiceStatus, 'taskserv' | 'installed' | 'newer'>[]): HostStatus => ({
  server: 'web',
  services: services.map((one) => ({ state: 'healthy', ...one })),
});
const known = (...versions: (string | KnownVersions['versions'][number])[]): KnownVersions => ({
  default: '1',
  source: 'test',
  versions: versions.map((one) => (typeof one === 'string' ? { version: one } : one)),
});

describe('the versions of a service', () => {
  const releases = known('4.0.0', '3.8.1', '3.7.15', '3.7.14', '3.6.0');

  test('are the newest of each kind beyond the one that runs', () => {
    const rows = serviceVersions(
      inventoryWith(spec('traefik', '3.7.14', { constraint: '^3' })),
      [host({ taskserv: 'traefik', installed: '3.7.14' })],
      { traefik: releases },
    );
    expect(rows).toEqual([
      {
        ...{ infra: 'shop', server: 'web', taskserv: 'traefik', version: '3.7.14', constraint: '^3', installed: '3.7.14' },
        ...{ wanted: '3.8.1', patch: '3.7.15', minor: '3.8.1', major: '4.0.0' },
      },
    ]);
  });

  test('of a series are what its archive has; the series that it is of is not newer', () => {
    const newer = { package: 'postgresql-15', from: '15.18-0', to: '15.20-0' };
    const [row] = serviceVersions(
      inventoryWith(spec('postgres', '15')),
      [host({ taskserv: 'postgres', installed: '15.18', newer })],
      { postgres: known('17', '15', '13') },
    );
    expect(row).toMatchObject({ wanted: '15', newer, major: '17' });
    expect(row).not.toHaveProperty('patch');
  });

  test('a version that only the archive of another release has is not named, also if further sources may have it', async () => {
    const { taskservs } = await registries();
    const all = await readKnownVersions(taskservs, Object.keys(taskservs));
    const byRelease = Object.entries(all).filter(([, { versions }]) => versions.some(({ releases }) => releases));
    expect(byRelease.map(([name]) => name)).toEqual(expect.arrayContaining(['postgres', 'redis']));
    for (const [name, { versions }] of byRelease)
      for (const { version } of versions) {
        const rows = serviceVersions(inventoryWith(spec(name, version)), [host({ taskserv: name, installed: version })], all);
        expect(
          rows.filter((row) => isOutdated(row, '2026-11-26')),
          name,
        ).toEqual([]);
      }
  });

  test('what is withdrawn or not looked after any more is outdated, what is newest is not', () => {
    const rowOf = (...versions: Parameters<typeof known>) =>
      serviceVersions(inventoryWith(spec('a', '2.0.0')), [host({ taskserv: 'a', installed: '2.0.0' })], {
        a: known(...versions),
      }).at(0) as ServiceVersions;
    expect(isOutdated(rowOf('2.0.0', '1.0.0'), '2026-11-26')).toBe(false);
    expect(isOutdated(rowOf({ version: '2.0.0', endOfLife: '2026-11-26' }), '2026-11-26')).toBe(false);
    expect(isOutdated(rowOf({ version: '2.0.0', endOfLife: '2026-11-25' }), '2026-11-26')).toBe(true);
    expect(isOutdated(rowOf({ version: '2.0.0', withdrawn: 'it loses data' }), '2026-11-26')).toBe(true);
    expect(rowOf({ version: '2.0.1', withdrawn: 'it loses data' }, '2.0.0')).not.toHaveProperty('patch');
  });

  test('of a host that was not reached, what is recorded is told with the reason', () => {
    const rows = serviceVersions(inventoryWith(spec('a', '1')), [{ server: 'web', why: 'connection refused' }], {
      a: known('2', '1'),
    });
    expect(rows).toEqual([
      { infra: 'shop', server: 'web', taskserv: 'a', version: '1', wanted: '1', major: '2', why: 'connection refused' },
    ]);
  });

  test('only the taskserv that is asked for; one of a workspace has no others', () => {
    const rows = serviceVersions(
      inventoryWith(spec('a', '1'), spec('b', '1', { module: 'f'.repeat(64) })),
      [host({ taskserv: 'a', installed: '1.2' }, { taskserv: 'b', installed: '1' })],
      { a: known('1'), b: known('9') },
      'b',
    );
    expect(rows).toEqual([{ infra: 'shop', server: 'web', taskserv: 'b', version: '1', installed: '1', wanted: '1' }]);
  });
});
