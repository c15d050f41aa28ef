import { expect, test } from 'vitest';
import { mirrorOf } from './mirrors.js';

const mirrors = [
  { from: 'https://apt.example.org', to: 'http://mirror.internal/example/', key: 'KEY' },
  { from: 'https://github.com/', to: 'https://mirror.internal/github' },
  { from: 'https://github.com/traefik/', to: 'https://mirror.internal/traefik' },
];

test.each([
  ['https://apt.example.org', { url: 'http://mirror.internal/example', key: 'KEY' }],
  ['https://apt.example.org/debian', { url: 'http://mirror.internal/example/debian', key: 'KEY' }],
  ['https://apt.example.organisation/debian', { url: 'https://apt.example.organisation/debian' }],
  ['https://github.com/a/b.tar.gz', { url: 'https://mirror.internal/github/a/b.tar.gz' }],
  ['https://github.com/traefik/traefik.tar.gz', { url: 'https://mirror.internal/traefik/traefik.tar.gz' }],
])('%s is fetched at %j', (url, at) => expect(mirrorOf(url, mirrors)).toEqual(at));

test('without mirrors everything is fetched at its vendor', () =>
  expect(mirrorOf('https://github.com/a/b.tar.gz')).toEqual({ url: 'https://github.com/a/b.tar.gz' }));
