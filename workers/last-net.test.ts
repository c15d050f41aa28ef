import { expect, test } from 'vitest';
import { lastNet } from './last-net.js';

function caught() {
  const said: string[] = [];
  const ends: number[] = [];
  let at = 0;
  const net = lastNet({ log: (text) => said.push(text), exit: (code) => ends.push(code), now: () => at });
  return {
    net,
    said,
    ends,
    later: (ms: number) => {
      at += ms;
    },
  };
}

test('goes on after a promise that nobody waited for, and counts', () => {
  const { net, said, ends } = caught();
  net.rejection(new Error('one'));
  net.rejection('two');
  net.rejection(new TypeError('three is not a function'));
  // The log has the place and not the message, which may contain output of a host.
  expect(said[0]).toMatch(/^a promise that nobody waited for \(1 since the start\): Error\n {4}at .*last-net.test/);
  expect(said[1]).toBe('a promise that nobody waited for (2 since the start): string');
  expect(said[2]).toContain('TypeError three is not a function');
  expect(ends).toEqual([]);
});

test('ends where they do not stop', () => {
  const { net, ends, later } = caught();
  for (let count = 0; count < 100; count++) net.rejection(new Error('again'));
  later(60_000);
  net.rejection(new Error('again'));
  expect(ends).toEqual([]);
  for (let count = 0; count < 100; count++) net.rejection(new Error('again'));
  expect(ends).toEqual([70]);
});

test.each([
  ['the error of an SSH connection', { level: 'protocol' }, []],
  ['the error of a socket', { code: 'ECONNRESET', syscall: 'read' }, []],
  ['anything else', {}, [70]],
  ['what only bears a code', { code: 'ECONNRESET' }, [70]],
])('after %s', (_, more, expected) => {
  const { net, ends } = caught();
  net.exception(Object.assign(new Error('Connection lost before handshake'), more));
  expect(ends).toEqual(expected);
});
