import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerChannel } from 'ssh2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePair } from '../../../stores/key-pair.js';
import type { KeyStore } from '../../../stores/keys.js';
import { type SshHost, startSshHost } from '../../../test/support/ssh-host.js';
import type { Target } from '../transport.js';
import { openConnections } from './connections.js';
import { CHANNELS_PER_CONNECTION } from './ssh.js';

const ours = makePair('ours');

let pinned: string | undefined;
const keys = {
  infraKey: async () => ours,
  pinned: async () => pinned,
  pin: async (_owner: unknown, _server: string, key: string) => {
    pinned = key;
  },
} as unknown as KeyStore;

const targetAt = (port: number): Target => ({
  workspace: 'w',
  infra: 'i',
  server: 's',
  connection: { kind: 'ssh', address: '127.0.0.1', port, user: 'root' },
});

let transports: ReturnType<typeof openConnections>;
let host: SshHost;
beforeEach(() => {
  pinned = undefined;
  transports = openConnections(keys);
});
afterEach(async () => {
  transports.close();
  await host.close();
});

test('twenty scripts at once share connections of at most eight channels', async () => {
  host = await startSshHost();
  const transport = await transports.open(targetAt(host.port));
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => transport.exec(`sleep 0.3; echo ${index}`)));
  expect(results.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(Math.max(...host.most)).toBe(CHANNELS_PER_CONNECTION);
  expect(host.most).toHaveLength(3);
  await transport.exec('true');
  expect(host.most).toHaveLength(3);
});

test('a fresh connection is really a new one', async () => {
  host = await startSshHost();
  await (await transports.open(targetAt(host.port))).exec('true');
  const fresh = await transports.open(targetAt(host.port), { fresh: true });
  await fresh.exec('true');
  fresh.close();
  expect(host.most).toHaveLength(2);
});

test('the first host key seen is pinned, and another one is refused by name', async () => {
  host = await startSshHost();
  await (await transports.open(targetAt(host.port))).exec('true');
  expect(pinned).toMatch(/^ssh-ed25519 /);
  pinned = makePair('another').public;
  transports.forget(targetAt(host.port));
  const refused = transports.open(targetAt(host.port)).then((transport) => transport.exec('true'));
  await expect(refused).rejects.toMatchObject({
    details: { code: 'host-key-changed', blame: 'user', hint: expect.stringContaining('forget-key s') },
  });
});

test('a refused key is the user’s fault, a closed port a transient error', async () => {
  host = await startSshHost({ accepts: () => false });
  const refused = transports.open(targetAt(host.port)).then((transport) => transport.exec('true'));
  await expect(refused).rejects.toMatchObject({ details: { code: 'ssh-key-refused', blame: 'user' } });
  const closed = transports.open(targetAt(1)).then((transport) => transport.exec('true'));
  await expect(closed).rejects.toMatchObject({ details: { code: 'host-unreachable', blame: 'weather' } });
});

test('what a script prints without end is given up, and not kept', async () => {
  const block = Buffer.alloc(256 * 1024, 'x');
  const flood = (channel: ServerChannel) => {
    const more = () => {
      while (!channel.destroyed && channel.write(block));
    };
    channel.on('drain', more);
    more();
  };
  host = await startSshHost({ exec: flood });
  const transport = await transports.open(targetAt(host.port));
  await expect(transport.exec('true')).rejects.toMatchObject({
    details: { code: 'output-too-large', on: expect.stringContaining('s (root@127.0.0.1') },
  });
});

test('a script that takes too long is ended on the host, with all that it started', async () => {
  host = await startSshHost();
  const transport = await transports.open(targetAt(host.port));
  const mark = join(tmpdir(), `provisioning-too-long-${process.pid}`);
  const late = transport.exec(`sleep 61.5 & sleep 62.5 & touch ${mark}; wait`, { limitMs: 1_000 });
  await expect(late).rejects.toMatchObject({ details: { code: 'host-too-late', why: 'no answer within 1 s' } });
  const running = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).match(/^sleep 6[12]\.5$/gm) ?? [];
  await expect.poll(running).toEqual([]);
  expect(existsSync(mark)).toBe(true);
  await rm(mark);
});

test('a host that lets us in and never begins is given up', { timeout: 30_000 }, async () => {
  host = await startSshHost({ exec: () => {} });
  const transport = await transports.open(targetAt(host.port));
  await expect(transport.exec('true', { limitMs: 100, withinMs: 1_000 })).rejects.toMatchObject({
    details: { code: 'host-too-late', blame: 'weather', on: expect.stringContaining('s (root@') },
  });
});
