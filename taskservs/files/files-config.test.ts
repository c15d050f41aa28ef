import { expect, test } from 'vitest';
import { filesConfig } from './files-config.js';

const takes = (entry: { path?: string; owner?: string }) =>
  filesConfig.safeParse({ files: { one: { path: '/etc/one', content: 'a', ...entry } } }).success;

test.each([
  '/etc/systemd/system/getty@tty1.service.d/x.conf',
  '/srv/My Files/a b.txt',
  '/srv/c++/a+b',
  '/srv/~old/a,b=c:d%e',
  '/srv/.hidden',
])('a file may be at %s', (path) => expect(takes({ path })).toBe(true));

test.each([
  '/srv/../etc/passwd',
  '/srv/./a',
  'srv/a',
  '/srv/ a',
  '/srv/a ',
  '/srv/a /b',
  '/srv//a',
  '/srv/a/',
  '/srv/a\nb',
  "/srv/a'b",
  '/srv/a\\b',
  '/srv/$a',
])('no file is at %j', (path) => expect(takes({ path })).toBe(false));

test.each(['root:root', '1000:1000', '0:0', 'john.doe:www-data', 'john:33'])('a file may belong to %s', (owner) =>
  expect(takes({ owner })).toBe(true),
);

test.each(['1000', '01:1', '-1:1', 'john', 'john.doe:', 'a:b:c', '1000:1000\n'])('no file belongs to %j', (owner) =>
  expect(takes({ owner })).toBe(false),
);
