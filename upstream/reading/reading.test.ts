import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { aptPackages } from './apt-packages.js';
import { aptRelease, extractSignedText, listOfPackages } from './apt-release.js';
import { chartIndex } from './chart-index.js';
import { indexVersions } from './index-versions.js';
import { upstreamPart } from './package-version.js';
import { releaseTags } from './release-tags.js';
import { isStable, stableVersions } from './stable-version.js';

test.each(['1.2.3', '15', '9.2p1', '1.1.1w', '3.0pl1', '2.0.0+ent', '1.2.3.4'])('%s is a released version', (version) => {
  expect(isStable(version)).toBe(true);
});

test.each(['1.2.3-rc1', '2.0~beta', '4.0b2', '1.0.0-alpha.1', '8.0.0-dev', 'nightly', '', '1.2.3\u001b[31m', '1..2', '1.2\n3'])(
  '%j is none',
  (version) => expect(isStable(version)).toBe(false),
);

test('released versions come newest first, each once, without their v', () => {
  expect(stableVersions(['v1.9.0', '1.10.0', 'v1.10.0', '1.11.0-rc.1', 'latest'])).toEqual(['1.10.0', '1.9.0']);
});

test.each([
  ['2.0.4-1', '2.0.4'],
  ['1:2.9.10+dfsg-1~deb12u1', '2.9.10'],
  ['5:7.0.15-1~deb12u8', '7.0.15'],
  ['1.3+really1.2.1-2', '1.2.1'],
  ['1.18.4~deb12', '1.18.4'],
  ['2.0~rc1-1', '2.0~rc1'],
])('the package %s is of %s', (version, upstream) => expect(upstreamPart(version)).toBe(upstream));

test('releases are those whose tag has the form; drafts and pre-releases are left out', () => {
  const page = [
    { tag_name: 'v1.2.0', published_at: '2026-11-01T10:00:00Z' },
    { tag_name: 'v1.3.0', prerelease: true },
    { tag_name: 'v1.4.0', draft: true },
    { tag_name: 'v1.5.0-rc1' },
    { tag_name: 'helm-1.6.0' },
    { tag_name: 'v1.1.0', published_at: null },
  ];
  expect(releaseTags(page, 'v{version}')).toEqual([{ version: '1.2.0', released: '2026-11-01' }, { version: '1.1.0' }]);
  expect(releaseTags([{ tag_name: 'helm-1.6.0' }], 'helm-{version}')).toEqual([{ version: '1.6.0' }]);
  expect(releaseTags({ message: 'Not Found' }, 'v{version}')).toBeUndefined();
});

test('a regular expression takes time in proportion to a page, whatever it says', () => {
  expect(indexVersions('go1.22.3 go1.21', 'go(?<version>[0-9.]+)', 'go.dev')).toEqual(['1.22.3', '1.21']);
  expect(indexVersions(`${'a'.repeat(5_000)}!`, '(?<version>(?:a+)+)$', 'go.dev')).toEqual([]);
  expect(() => indexVersions('1.2', '(?<version>1)(?=.)', 'go.dev')).toThrowError(/not valid in RE2/);
});

const RELEASE = `Origin: x
MD5Sum:
 d41d8cd98f00b204e9800998ecf8427e 0 main/binary-amd64/Packages
SHA256:
 ${'a'.repeat(64)}  120 main/binary-amd64/Packages
 ${'b'.repeat(64)}   40 main/binary-amd64/Packages.xz
Valid-Until: Wed, 02 Dec 2026 22:33:12 UTC
`;

test('of a Release the hashes count that are SHA-256, and the list that is packed', () => {
  const release = aptRelease(RELEASE);
  expect(release?.validUntil).toBe('2026-12-02T22:33:12.000Z');
  expect(release && listOfPackages(release, 'main')).toEqual({
    path: 'main/binary-amd64/Packages.xz',
    sha256: 'b'.repeat(64),
    size: 40,
  });
  expect(release && listOfPackages(release, 'contrib')).toBeUndefined();
  expect(aptRelease('<html>Please log in</html>')).toBeUndefined();
});

test('of a signed message only what is signed counts', () => {
  const message = `Before: 1\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nA: 1\n- -B\n-----BEGIN PGP SIGNATURE-----\nx\n`;
  expect(extractSignedText(message)).not.toContain('A: 1\n-----BEGIN');
  expect(extractSignedText(message.replace('Before: 1\n', ''))).toBe('A: 1\n-B');
});

test('a list of packages is read in whatever pieces it comes', async () => {
  const text = 'Package: a\nVersion: 1.0-1\nDescription: x\n\nPackage: b\nVersion: 2.0-1\n\nPackage: a\nVersion: 1.1-1\n';
  const pieces = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  const found = await aptPackages(Readable.from(pieces));
  expect(Object.fromEntries(found)).toEqual({ a: ['1.0-1', '1.1-1'], b: ['2.0-1'] });
  await expect(aptPackages(Readable.from([Buffer.alloc(1_100_000, 'x')]))).rejects.toThrow('no end');
  const many = Buffer.from('Package:  \nVersion: 1\n\n'.repeat(1_001));
  await expect(aptPackages(Readable.from(Array.from({ length: 1_000 }, () => many)))).rejects.toThrow('more than 1000000 packages');
});

const INDEX = `apiVersion: v1
entries:
  alpine:
  - version: 9.9.9
    dependencies:
      app:
      - version: 8.8.8
  app:
    - version: 1.2.0
      created: 2026-01-01T00:00:00Z
    - version: 1.3.0-rc.1
  old:
  - version: 0.1.0
    deprecated: true
generated: x
`;

test('of an index of charts the part about one is read', () => {
  expect(chartIndex(INDEX, 'app')).toEqual({ versions: ['1.2.0', '1.3.0-rc.1'], deprecated: false });
  expect(chartIndex(INDEX, 'old')).toEqual({ versions: ['0.1.0'], deprecated: true });
  expect(chartIndex(INDEX, 'none')).toBeUndefined();
  expect(chartIndex('<html>', 'app')).toBeUndefined();
  expect(() => chartIndex(`entries:\n  app:\n  - a: ${'x'.repeat(5_000_000)}\n`, 'app')).toThrow('too long');
  expect(() => chartIndex('entries:\n  app:\n  - &a version: 1\n    b: [*a, {\n', 'app')).toThrow();
});
