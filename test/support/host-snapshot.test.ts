import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Docker from 'dockerode';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { dockerImage } from '../../providers/local/images.js';
import { hostImage } from './host-image.js';
import { HOST_KNOWS, HOST_PACKAGES } from './host-packages.js';
import { snapshotOf } from './host-snapshot.js';
import { whyNoHosts } from './hosts.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);
const snapshot = hostImage();
const packages = HOST_PACKAGES['debian-12'] ?? [];

/** Returns the output of a script in a container without a network. */
const printed = async (image: string, script: string): Promise<string[]> => {
  const { stdout } = await execa('docker', ['run', '--rm', '--network', 'none', image, 'sh', '-c', script]);
  return stdout.split('\n').filter(Boolean);
};

describe.skipIf(why)('the snapshot of test hosts', () => {
  test.skipIf(snapshot === undefined)('spares the fetching of what it lists, and has none of it installed', async () => {
    const image = snapshot ?? '';
    const ready = `dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\\n' ${packages.join(' ')} 2>/dev/null | awk '$2 == "ii" { print $1 }'; ls /lib/systemd/system /etc/init.d`;
    expect(await printed(image, ready)).toEqual(await printed(dockerImage({}, 'debian-12'), ready));
    expect(await printed(image, `apt-get -qq --print-uris install -y --no-install-recommends ${packages.join(' ')}`)).toEqual([]);
    expect(Number(await printed(image, 'apt-cache pkgnames | wc -l'))).toBeLessThan(10_000);
    // apt accepts the repacked archives.
    const installed = 'apt-get -qq install -y --no-install-recommends redis-server >/dev/null 2>&1; command -v redis-server';
    expect(await printed(image, installed)).toEqual(['/usr/bin/redis-server']);
  });

  test('is done without if no mirror answers', async () => {
    expect(await snapshotOf(new Docker(), 'debian-12', 'none')).toBeUndefined();
  });
});

/** Packages that only vendors' archives have. Hosts query them when they are configured. */
const OF_VENDORS = ['vault'];

const taskservs = join(import.meta.dirname, '../../taskservs');

/** Returns the packages that a part of a case names. */
const packagesIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { package: own } = value as { package?: { name?: string } };
  return [...(own?.name ? [own.name] : []), ...Object.values(value).flatMap(packagesIn)];
};

test('apt of a test host knows what taskservs install', () => {
  const cases = readdirSync(taskservs, { recursive: true, encoding: 'utf8' }).filter((path) => /\/cases\/[^/]+\.json$/.test(path));
  const installed = cases.flatMap((path) => packagesIn(JSON.parse(readFileSync(join(taskservs, path), 'utf8'))));
  const known = new Set([...HOST_KNOWS, ...Object.values(HOST_PACKAGES).flat(), ...OF_VENDORS]);
  expect(new Set(installed).size).toBeGreaterThan(50);
  expect([...new Set(installed)].filter((name) => !known.has(name))).toEqual([]);
});
