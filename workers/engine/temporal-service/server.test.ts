import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homeOf } from '../../../home/home.js';
import { startServer, stopServer } from './server.js';

/** Emulates a server: it reports a used port this often, and serves then. */
const STAND_IN = `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require('node:fs');
const starts = process.env.HOME + '/starts';
appendFileSync(starts, 'x');
if (readFileSync(starts, 'utf8').length <= TAKEN) {
  console.log('Failed to start gRPC listener: listen tcp 127.0.0.1:43041: bind: address already in use');
  process.exit(1);
}
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
require('node:http2').createServer().on('stream', (stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
  stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
}).listen(port, '127.0.0.1');
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'server-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a server that finds a used port this often. */
async function start(taken: number) {
  const home = homeOf({ PROVISIONING_HOME: join(folder, 'home') });
  for (const one of [home.root, home.engine, home.logs]) mkdirSync(one, { recursive: true });
  const path = join(folder, 'temporal');
  writeFileSync(path, STAND_IN.replace('TAKEN', String(taken)));
  chmodSync(path, 0o755);
  const binary = { path, version: '1.8.2', serverVersion: '1.31.2', mutualTls: false };
  const ports = { grpc: await freePort(), ui: 1, http: 2, metrics: 3 };
  return startServer(home, binary, ports, 'default', folder, { ...process.env, HOME: folder });
}

const starts = () => readFileSync(join(folder, 'starts'), 'utf8').length;

test('a server starts again where a port that it chose was taken before it had it', async () => {
  const record = await start(1);
  await stopServer(record);
  expect(starts()).toBe(2);
});

test('and is given up where that does not help', async () => {
  await expect(start(5)).rejects.toThrow(/it ended( at once)?: .*address already in use/);
  expect(starts()).toBe(2);
});
