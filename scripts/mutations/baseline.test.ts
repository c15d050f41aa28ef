import { expect, test } from 'vitest';
import { playEach } from './baseline.js';
import type { Order, Played } from './closed-copy.js';

test('a file that fails, hangs or ends its process is left out, and those after it are played', async () => {
  const orders: string[] = [];
  const play = async ({ files }: Order): Promise<Played> => {
    orders.push(files.join(' '));
    const halts = files.findIndex((file) => file === 'hangs' || file === 'exits');
    const passed = halts < 0 ? files : files.slice(0, halts);
    const ended = passed.map((file) => ({ file, failed: file === 'fails', seconds: 1 }));
    const failed = passed.includes('fails') ? 'fails' : files[halts];
    return { ended, ...(failed ? { failed } : {}), timedOut: files[halts] === 'hangs', processor: 1 };
  };
  expect(await playEach({ play }, ['a', 'fails', 'hangs', 'b', 'exits', 'c'])).toEqual({
    seconds: { a: 1, b: 1, c: 1 },
    leftOut: { fails: 'fails', hangs: 'takes longer than 60 s', exits: 'ends the process' },
  });
  expect(orders).toEqual(['a fails hangs b exits c', 'b exits c', 'c']);
});
