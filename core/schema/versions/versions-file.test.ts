import { expect, test } from 'vitest';
import { versionsFile, versionsIn } from './versions-file.js';

const SHA256 = 'ffe840ff9295808e88cce2794a18a5ac87f12a5203c8314d0bf6aa119b41bac5';
const artifact = { url: 'https://example.org/etcd-v3.6.14-linux-amd64.tar.gz', sha256: SHA256 };
const releases = { datasource: 'releases', repository: 'etcd-io/etcd', asset: 'etcd-v{version}-linux-{arch}.tar.gz' };

const file = (version: object, upstream: object = releases) => ({ upstream, versions: { '3.6.14': version } });

const problems = (found: unknown): string[] =>
  versionsFile.safeParse(found).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

test('a version has an artifact for each architecture, or says why it has none', () => {
  expect(problems(file({ amd64: artifact, arm64: artifact }))).toEqual([]);
  expect(problems(file({ amd64: artifact, without: { arm64: 'the vendor builds none' } }))).toEqual([]);
  expect(problems(file({ amd64: artifact }))).toEqual([
    'versions.3.6.14.arm64: name the artifact, or give the reason why it is missing: without.arm64',
  ]);
  expect(problems(file({ amd64: artifact, arm64: artifact, without: { arm64: 'no' } }))).toHaveLength(1);
});

test('versions of Debian and of a vendor’s repository have no artifacts', () => {
  expect(problems(file({}, { datasource: 'debian', package: 'etcd-server' }))).toEqual([]);
  expect(problems(file({}, { datasource: 'vendor-apt', source: 'grafana', package: 'grafana' }))).toEqual([]);
  expect(problems(file({ amd64: artifact }, { datasource: 'debian', package: 'etcd-server' }))).toEqual([
    'versions.3.6.14.amd64: versions of debian have no artifacts',
  ]);
});

test.each([
  ['a hash that is none', { ...artifact, sha256: SHA256.toUpperCase() }, '64 hexadecimal digits in lower case'],
  ['a hash that was cut', { ...artifact, sha256: SHA256.slice(1) }, '64 hexadecimal digits'],
  ['a URL that others can read along', { ...artifact, url: 'http://example.org/etcd' }, 'https://'],
  ['a URL with a password', { ...artifact, url: 'https://me:secret@example.org/etcd' }, 'without a user'],
])('refuses %s', (_, amd64, message) => {
  const [problem, ...others] = problems(file({ amd64, arm64: artifact }));
  expect(problem).toContain(message);
  expect(others).toEqual([]);
});

test('refuses what is no file of versions', () => {
  expect(problems({ upstream: releases, versions: {} })).toEqual(['versions: name at least one version']);
  expect(problems(file({}, { datasource: 'index', index: 'https://example.org/', pattern: '([0-9]', asset: 'x' }))[0]).toContain(
    '(?<version>[0-9.]+)',
  );
  expect(problems(file({ amd64: artifact, arm64: artifact, colour: 'red' }))[0]).toContain('colour');
});

test('versions that are whole numbers come newest first, too', () => {
  const found = versionsFile.parse({
    upstream: { datasource: 'debian', package: 'postgresql' },
    versions: { '17': {}, '9': {}, '15': {} },
  });
  expect(versionsIn(found).map(([version]) => version)).toEqual(['17', '15', '9']);
});
