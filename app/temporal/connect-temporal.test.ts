import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
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

test('a call that is to be tried again when the connection is closed ends, and ends no process', async () => {
  let asked = 0;
  const busy = createHttp2Server();
  busy.on('stream', (stream, headers) => {
    const first = headers[':path']?.endsWith('/GetSystemInfo');
    if (!first) asked++;
    // An old server without an answer of its own is accepted. Any other error is unavailable, and retried.
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': first ? '12' : '14' }, { endStream: true });
  });
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  try {
    const connection = await connectTemporal({ address: `127.0.0.1:${(busy.address() as AddressInfo).port}` });
    const call = connection.workflowService.describeNamespace({ namespace: 'default' });
    const ended = expect(call).rejects.toMatchObject({ code: 1, details: expect.stringContaining('the connection was closed') });
    while (asked === 0) await sleep(5);
    await connection.close();
    await ended;
    await expect(connection.workflowService.describeNamespace({ namespace: 'default' })).rejects.toThrow('was closed');
  } finally {
    busy.close();
  }
});
