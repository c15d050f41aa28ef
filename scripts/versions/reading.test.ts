import { expect, test } from 'vitest';
import { versionsFile } from '../../core/schema/versions/versions-file.js';
import { artifactPlaces, fileName, type Publisher } from './artifact-places.js';
import { hashIn } from './checksums.js';
import { insertVersion } from './insert-version.js';

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];

test.each([
  ['as sha256sum writes it', `${B}  other.tgz\n${A}  thing.tgz\n`],
  ['of a binary file', `${A} *thing.tgz`],
  ['in a folder', `${A}  ./dist/thing.tgz\r\n`],
  ['as BSD writes it', `SHA256 (thing.tgz) = ${A}`],
  ['in capitals', `${A.toUpperCase()}  thing.tgz`],
])('a hash is found %s', (_, list) => expect(hashIn(list, 'thing.tgz', false)).toBe(A));

test('a hash without a name is that of a file only where the list is about it alone', () => {
  expect(hashIn(`${A}\n`, 'thing.tgz', true)).toBe(A);
  expect(hashIn(`${A}\n`, 'thing.tgz', false)).toBeUndefined();
  expect(hashIn(`${A}\n${B}\n`, 'thing.tgz', true)).toBeUndefined();
  expect(hashIn(`${A}  thing.tgz.sbom`, 'thing.tgz', true)).toBeUndefined();
  expect(() => hashIn(`${A}  thing.tgz\n${B}  thing.tgz`, 'thing.tgz', false)).toThrow('two hashes');
});

const publisher = (upstream: object): Publisher =>
  versionsFile.parse({ upstream, versions: { '1': { without: { amd64: 'x', arm64: 'x' } } } }).upstream as Publisher;

test('files of a release are beside each other, at the host of the pages', () => {
  const github = { datasource: 'releases', repository: 'o/n', asset: 'n-{arch}', architectures: { amd64: 'x86_64' } };
  const signature = { kind: 'gpg', file: 'SUMS.asc' };
  expect(artifactPlaces(publisher({ ...github, checksums: 'SUMS', signature }), '1.2', 'amd64')).toEqual({
    artifact: 'https://github.com/o/n/releases/download/v1.2/n-x86_64',
    checksums: 'https://github.com/o/n/releases/download/v1.2/SUMS',
    signature: 'https://github.com/o/n/releases/download/v1.2/SUMS.asc',
    alone: false,
  });
  const forgejo = { ...github, api: 'https://codeberg.org/api/v1/', tag: 'n/v{version}+1', checksums: 'n-{arch}.sha256' };
  expect(artifactPlaces(publisher(forgejo), '1.2', 'arm64')).toEqual({
    artifact: 'https://codeberg.org/o/n/releases/download/n/v1.2%2B1/n-arm64',
    checksums: 'https://codeberg.org/o/n/releases/download/n/v1.2%2B1/n-arm64.sha256',
    alone: true,
  });
});

test('of an index they are beside it, or where they are said to be', () => {
  const index = { datasource: 'index', index: 'https://go.dev/dl/', pattern: '(?<version>x)' };
  const asset = 'https://dl.google.com/go/go{version}.linux-{arch}.tar.gz';
  expect(artifactPlaces(publisher({ ...index, asset, checksums: 'SUMS' }), '1.2', 'arm64')).toMatchObject({
    artifact: 'https://dl.google.com/go/go1.2.linux-arm64.tar.gz',
    checksums: 'https://go.dev/dl/SUMS',
  });
  expect(fileName('https://a.example/b/n%2B1.tgz?x')).toBe('n+1.tgz');
});

test('a version is put between others, or behind the last one', () => {
  const text = '{\n  "versions": {\n    "2.0": { "a": 1 },\n    "1.0": {}\n  }\n}\n';
  expect(insertVersion(text, '1.5', {})).toBe(
    '{\n  "versions": {\n    "2.0": { "a": 1 },\n    "1.5": {},\n    "1.0": {}\n  }\n}\n',
  );
  expect(insertVersion(text, '0.9', { b: 1 })).toBe(
    '{\n  "versions": {\n    "2.0": { "a": 1 },\n    "1.0": {},\n    "0.9": {\n      "b": 1\n    }\n  }\n}\n',
  );
  expect(() => insertVersion('{}', '1.0', {})).toThrow('no versions');
});
