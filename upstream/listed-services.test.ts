import { expect, test } from 'vitest';
import { DEBIAN_CODENAMES } from '../core/versions/release-versions.js';
import { taskservs } from '../taskservs/registry.generated.js';
import { isUnexpected } from './archives.js';
import { listServices } from './listed-services.js';

test('every service whose version follows the release of the host is asked for by its package', async () => {
  const listed = await listServices(taskservs, []);
  const names = Object.keys(taskservs).filter((name) => taskservs[name]?.versions.releases);
  expect(names.length).toBeGreaterThan(50);
  for (const name of names) {
    const found = listed.find((one) => one.name === name)?.archives ?? [];
    const releases = Object.entries(taskservs[name]?.versions.releases ?? {}).filter(([, series]) => series !== null);
    expect(found.map(({ release, supported }) => [release, supported]).sort(), name).toEqual(releases.sort());
    expect(Object.keys(DEBIAN_CODENAMES)).toEqual(expect.arrayContaining(found.map(({ release }) => release)));
    for (const { package: asked } of found) expect(asked, name).toMatch(/^[a-z0-9][a-z0-9+.-]+$/);
  }
});

test('the package is that of the kind, of a versions.json, or of the version', async () => {
  const asked = async (name: string) =>
    (await listServices(taskservs, [name]))[0]?.archives?.map((one) => `${one.release} ${one.package} ${one.supported}`);
  expect(await asked('redis')).toEqual(['debian-13 redis-server 8.0', 'debian-12 redis-server 7.0']);
  expect(await asked('nats')).toEqual(['debian-13 nats-server 2.10', 'debian-12 nats-server 2.9']);
  expect(await asked('postgres')).toEqual(['debian-13 postgresql-17 17', 'debian-12 postgresql-15 15']);
  expect(await asked('ssh')).toEqual(['debian-13 openssh-server 10.0', 'debian-12 openssh-server 9.2']);
  expect(await asked('java')).toEqual(['debian-13 openjdk-21-jre-headless 21', 'debian-12 openjdk-17-jre-headless 17']);
  expect(await asked('vault')).toBeUndefined();
});

test.each(['files', 'resolv', 'app'])('nothing says who lists versions of %s', async (name) => {
  await expect(listServices(taskservs, [name])).rejects.toMatchObject({ details: { code: 'versions-not-listed', on: name } });
});

test('a service that names no package is a fault of the build', async () => {
  const registry = { thing: { ...taskservs.redis, name: 'thing' } as NonNullable<(typeof taskservs)[string]> };
  const { package: _, ...versions } = registry.thing.versions;
  await expect(listServices({ thing: { ...registry.thing, versions } }, ['thing'])).rejects.toMatchObject({
    details: { code: 'bad-versions', why: 'its taskserv names no package' },
  });
});

test('another series than is expected, or no package, is told from a newer version of the series', () => {
  const wanted = { release: 'debian-13' as const, package: 'redis-server', supported: '8.0' };
  expect(['8.0.2', '8.2.1', '7.0.15'].map((version) => isUnexpected({ ...wanted, version }))).toEqual([false, true, true]);
  expect(isUnexpected(wanted)).toBe(true);
});
