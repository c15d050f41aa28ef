import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connectTemporal } from './connect-temporal.js';

test('a service that is down is looked for again and again, and no longer once that was given up', {
  timeout: 30_000,
}, async () => {
  let tries = 0;
  const down = createServer((socket) => {
    tries++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(down, 'listening');
  try {
    const address = `127.0.0.1:${(down.address() as AddressInfo).port}`;
    await expect(connectTemporal({ address, connectTimeout: 3_000 })).rejects.toThrow('connect');
    // With gRPC's own pauses of 1 s, 1.6 s, … it would be three.
    expect(tries).toBeGreaterThanOrEqual(5);
    // One more may have been due.
    await sleep(2_500);
    const before = tries;
    await sleep(2_500);
    expect(tries).toBe(before);
  } finally {
    down.close();
  }
});
