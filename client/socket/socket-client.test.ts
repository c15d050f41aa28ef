import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { socketClient } from './socket-client.js';

let folder: string;
let server: Server;
let worker: Socket;
let client: Client;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'socket-'));
  const path = join(folder, 'worker.sock');
  server = createServer().listen(path);
  await once(server, 'listening');
  server.once('connection', (socket: Socket) => {
    worker = socket;
    socket.once('data', () => socket.write('{"id":1,"result":null}\n'));
  });
  client = await socketClient(path);
});
afterEach(async () => {
  await client.close();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const lost = { details: { code: 'engine-not-answering', why: 'the worker closed the connection' } };

test('a worker that goes while it is asked is said to be gone', async () => {
  const asked = client.operations.progress({ operation: 'cluster-ensure-shop-1' });
  worker.once('data', () => worker.destroy());
  await expect(asked).rejects.toMatchObject(lost);
});

test('a worker that went before is said to be gone, at every call', async () => {
  const asked = client.infras.list({ workspace: 'default' });
  worker.destroy();
  await expect(asked).rejects.toMatchObject(lost);
  await expect(client.operations.progress({ operation: 'cluster-ensure-shop-1' })).rejects.toMatchObject(lost);
  await expect(
    client.operations.follow({ operation: 'cluster-ensure-shop-1' })[Symbol.asyncIterator]().next(),
  ).rejects.toMatchObject(lost);
});

test('a worker that takes the connection and ends before it answers is not there', async () => {
  server.once('connection', (socket: Socket) => socket.once('data', () => socket.destroy()));
  await expect(socketClient(join(folder, 'worker.sock'))).rejects.toMatchObject(lost);
});
