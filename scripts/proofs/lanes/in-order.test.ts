import { expect, test } from 'vitest';
import { inOrder } from './in-order.js';

const order = (...files: [name: string, room: string, seconds: number][]) =>
  inOrder(files, { seconds: ([, , seconds]) => seconds, room: ([, room]) => room }).map(([name]) => name);

test('long files begin first, the longest of all rooms before the others', () => {
  expect(order(['a', 'rooms', 90], ['b', 'hosts', 300], ['c', 'rooms', 120])).toEqual(['b', 'c', 'a']);
});

test('short files follow room by room, so that a process can play the next one', () => {
  const short = order(['a', 'rooms', 10], ['b', 'hosts', 59], ['c', 'rooms', 20], ['d', 'hosts', 1], ['e', 'hosts', 60]);
  expect(short).toEqual(['e', 'c', 'a', 'b', 'd']);
});
