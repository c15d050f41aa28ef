import { expect, test } from 'vitest';
import { findPublishedArtifact, parseImportedVersions, versionsOf } from './published-artifact.js';

const sha256 = (digit: string) => digit.repeat(64);
const at = (name: string, digit: string) => ({ url: `https://example.org/${name}`, sha256: sha256(digit) });
const found = parseImportedVersions({
  upstream: { datasource: 'releases', repository: 'example/echo', asset: 'echo' },
  versions: {
    '2.0': { amd64: at('2-amd64', 'a'), without: { arm64: 'its vendor builds none for arm64' } },
    '1.9': { amd64: at('1-amd64', 'b'), arm64: at('1-arm64', 'c') },
    '1.8': { amd64: at('0-amd64', 'd'), arm64: at('0-arm64', 'e'), withdrawn: 'it lost data' },
  },
});
const host = (arch: string) => ({ name: 'web-1', arch });

test('a taskserv offers what was not withdrawn, the newest one by default', () =>
  expect(versionsOf(found, 'release')).toEqual({ default: '2.0', supported: ['2.0', '1.9'], source: 'release' }));

test('a host gets what is for its architecture, from a mirror where there is one', () => {
  expect(findPublishedArtifact('echo', found, { version: '1.9', host: host('arm64') })).toEqual({
    url: 'https://example.org/1-arm64',
    sha256: sha256('c'),
    label: '1.9',
  });
  const mirrors = [{ from: 'https://example.org', to: 'http://mirror' }];
  expect(findPublishedArtifact('echo', found, { version: '1.9', host: host('amd64'), mirrors })).toMatchObject({
    url: 'http://mirror/1-amd64',
    sha256: sha256('b'),
  });
});

test('a build of one’s own has a folder of its own', () =>
  expect(findPublishedArtifact('echo', found, { version: '1.9', host: host('amd64') }, at('own', 'f'))).toEqual({
    url: 'https://example.org/own',
    sha256: sha256('f'),
    label: '1.9-ffffffffffff',
  }));

test('where there is none, it says why', () => {
  expect(() => findPublishedArtifact('echo', found, { version: '2.0', host: host('arm64') })).toThrow(
    'cannot install echo 2.0: web-1: its vendor builds none for arm64',
  );
  expect(() => findPublishedArtifact('echo', found, { version: '0.1', host: host('amd64') })).toThrow('has no artifact of it');
});
