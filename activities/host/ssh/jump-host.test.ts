import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jumpKeyName } from '../../../core/definition/jump-host.js';
import { keyFiles } from '../../../stores/files/key-files.js';
import { makePair } from '../../../stores/key-pair.js';
import type { KeyStore } from '../../../stores/keys.js';
import { testText } from '../../../test/support/private-text.js';
import { startSickServer } from '../../../test/support/sick-server.js';
import { type SshHost, startSshHost } from '../../../test/support/ssh-host.js';
import type { Target } from '../transport.js';
import { openConnections } from './connections.js';

const owner = { workspace: 'w', infra: 'i' };
let folder: string;
let keys: KeyStore;
let transports: ReturnType<typeof openConnections>;
let jump: SshHost;
let host: SshHost;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'jump-'));
  keys = keyFiles(folder, testText);
  transports = openConnections(keys);
  [jump, host] = await Promise.all([startSshHost(), startSshHost()]);
});
afterEach(async () => {
  transports.close();
  await Promise.all([jump.close(), host.close()]);
  await rm(folder, { recursive: true });
});

const behind = (port = jump.port, server = 's', to = host.port): Target => ({
  ...owner,
  server,
  connection: { kind: 'ssh', address: '127.0.0.1', port: to, user: 'root', jump: `ops@127.0.0.1:${port}` },
});
const hello = async (target: Target) => (await (await transports.open(target)).exec('echo hello')).stdout.trim();
const jumpName = () => jumpKeyName({ address: '127.0.0.1', port: jump.port });

test('both keys are pinned at first sight, and told with their fingerprints', async () => {
  expect(await hello(behind())).toBe('hello');
  expect(jump.forwarded).toEqual([`127.0.0.1:${host.port}`]);
  expect(await keys.pinned(owner, 's')).toBe(host.publicKey);
  expect(await keys.pinned(owner, jumpName())).toBe(jump.publicKey);
  const seen = new RegExp(`^SHA256:\\S+; its jump host ops@127\\.0\\.0\\.1:${jump.port}: SHA256:\\S+$`);
  expect(transports.takeFirstSeen(behind())).toMatch(seen);
});

test('a jump host with another key stops everything, before it is told where to connect', async () => {
  await keys.pin(owner, jumpName(), makePair('another').public);
  await expect(hello(behind())).rejects.toMatchObject({
    details: {
      code: 'host-key-changed',
      blame: 'user',
      on: expect.stringMatching(/^ops@127\.0\.0\.1:\d+, the jump host of s \(root@127\.0\.0\.1:\d+\)$/),
      hint: expect.stringContaining('server forget-key s --jump'),
    },
  });
  expect(jump.forwarded).toEqual([]);
  expect(host.most).toEqual([]);
});

test('another key of the host behind it stops, too', async () => {
  await keys.pin(owner, 's', makePair('another').public);
  await expect(hello(behind())).rejects.toMatchObject({
    details: { code: 'host-key-changed', on: expect.stringMatching(/^s \(/) },
  });
  expect(host.most.every((channels) => channels === 0)).toBe(true);
});

test('a key that is forgotten is pinned again, for all servers behind it', async () => {
  await keys.pin(owner, jumpName(), makePair('another').public);
  await keys.forget(owner, jumpName());
  expect(await hello(behind())).toBe('hello');
  await keys.pin(owner, jumpName(), makePair('another').public);
  await expect(hello(behind(jump.port, 'other'))).rejects.toMatchObject({ details: { code: 'host-key-changed' } });
});

test.each(['silent', 'closing', 'garbage'] as const)(
  'a jump host that is sick is named with the host: %s',
  { timeout: 20_000 },
  async (kind) => {
    const sick = await startSickServer(kind);
    await expect(hello(behind(sick.port))).rejects.toMatchObject({
      details: { code: 'ssh-handshake', on: expect.stringMatching(/the jump host of s \(root@/) },
    });
    await expect.poll(() => sick.open()).toBe(0);
    await sick.close();
  },
);

test('a sick host behind a good jump host leaves nothing open on either', { timeout: 20_000 }, async () => {
  const sick = await startSickServer('silent');
  await expect(hello(behind(jump.port, 's', sick.port))).rejects.toMatchObject({
    details: { code: 'ssh-handshake', on: expect.stringMatching(/^s \(root@/) },
  });
  await expect.poll(() => sick.open()).toBe(0);
  await expect.poll(() => jump.open()).toBe(0);
  await sick.close();
});
