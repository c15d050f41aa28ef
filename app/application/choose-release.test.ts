import { expect, test } from 'vitest';
import { chooseRelease } from './choose-release.js';

const rows = (server: string, running: string, ...releases: string[]) =>
  releases.map((release) => ({ server, release, there: '', ...(release === running && { since: 'now' }) }));
const on = (of: Record<string, string[]>, running = 'b') =>
  new Map(Object.entries(of).map(([server, releases]) => [server, rows(server, running, ...releases)]));

test('the release before that which runs, on all servers or brought to newer ones', () => {
  expect(chooseRelease('shop', on({ 'web-1': ['b', 'a'], 'web-2': ['b', 'a'] }))).toEqual({ release: 'a', missing: [] });
  expect(chooseRelease('shop', on({ 'web-2': ['b'], 'web-1': ['b', 'a'] }))).toEqual({ release: 'a', missing: ['web-2'] });
  expect(chooseRelease('shop', on({ 'web-2': ['c', 'b'], 'web-1': ['c', 'b', 'a'] }, 'c'))).toEqual({ release: 'b', missing: [] });
});

test('a server without a running release does not choose', () => {
  expect(chooseRelease('shop', on({ 'web-1': ['b', 'a'], 'web-2': ['e', 'd', 'c'] }))).toEqual({
    release: 'a',
    missing: ['web-2'],
  });
  expect(() => chooseRelease('shop', on({ 'web-1': ['e', 'd'] }))).toThrow('no server has a release from before');
});

test('a named release by its beginning', () => {
  expect(chooseRelease('shop', on({ 'web-1': ['b12', 'a34'], 'web-2': ['b12'] }, 'b12'), 'a')).toEqual({
    ...{ release: 'a34', missing: ['web-2'] },
  });
});

test('what no server has is refused', () => {
  expect(() => chooseRelease('shop', on({ 'web-1': ['b'], 'web-2': ['b'] }))).toThrow('no server has a release from before');
  expect(() => chooseRelease('shop', on({ 'web-1': ['b', 'a'] }), 'x')).toThrow('no server has the release "x"');
});
