import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ARTIFACT_PART, deliverFromWorker } from '../../core/host/artifact.js';
import { activityEnvironment } from '../../test/support/activity-environment.js';
import { artifactCache } from '../artifacts/artifact-cache.js';
import type { HostFiles, HostOf } from '../host/host.js';
import { type ActInput, createBring } from './bring.js';

const BYTES = Buffer.alloc(2 * ARTIFACT_PART + 1000, 'artifact ');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');

let folder = '';
let server: Server;
let asked = 0;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bring-'));
  asked = 0;
  answer = (response) => void response.end(BYTES);
  server = createServer((_, response) => {
    asked += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** Hosts on each of which so many parts have come already; undefined: all is there. */
function hosts(come: Record<string, number | undefined>, described = { sha256: '', size: 0 }) {
  const appended: Record<string, [number, Buffer][]> = {};
  const dropped: string[] = [];
  const filesOf = (name: string): HostFiles => ({
    come: async () => come[name],
    append: async (_, part, bytes) => {
      appended[name] = [...(appended[name] ?? []), [part, bytes]];
    },
    expect: async () => {},
    drop: async (artifact) => void dropped.push(artifact.sha256),
    describe: async () => described,
    read: async () => Buffer.alloc(0),
  });
  const hostOf = (({ server }: { server: string }) => ({ files: filesOf(server) })) as unknown as HostOf;
  const bring = createBring({ hostOf, blobs: {} as never, artifacts: artifactCache(folder, async () => {}) });
  return { bring, appended, dropped };
}

function inputFor(name: string): ActInput {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.tgz`;
  const artifact = deliverFromWorker({ state: 'present' as const, url, sha256: SHA256, to: '/opt/a/1' });
  return {
    server: name,
    taskserv: 'a',
    scope: { workspace: 'default' },
    steps: [{ title: 'Fetch it', artifact }],
  } as unknown as ActInput;
}

const inActivity = (bring: (input: ActInput) => Promise<void>, name: string, said: string[] = []) => {
  const env = activityEnvironment({ heartbeatTimeoutMs: 10_000 });
  env.on('heartbeat', (beat?: { line?: string; server?: string }) => void said.push(`${beat?.server}: ${beat?.line}`));
  return { env, done: env.run(bring, inputFor(name)) };
};

test('the worker fetches once for all hosts, and each gets what has not come to it yet', async () => {
  const { bring, appended } = hosts({ a: 0, b: 2, c: 0 });
  const said: string[] = [];
  await Promise.all(['a', 'b', 'c'].map((name) => inActivity(bring, name, said).done));
  expect(asked).toBe(1);
  const parts = (name: string) => appended[name]?.map(([part]) => part);
  expect([parts('a'), parts('b'), parts('c')]).toEqual([[0, 1, 2], [2], [0, 1, 2]]);
  expect(BYTES.equals(Buffer.concat((appended.a ?? []).map(([, bytes]) => bytes)))).toBe(true);
  for (const name of ['a', 'c']) expect(said).toContain(`${name}: 33 % have come`);
  // A caller that comes when it exists gets no message.
  expect(said).toContainEqual(expect.stringContaining(': the worker fetches it: '));
});

test('nothing is fetched for a host that has it', async () => {
  const { bring, appended } = hosts({ a: undefined });
  await inActivity(bring, 'a').done;
  expect([asked, appended]).toEqual([0, {}]);
});

test.each([
  ['too large a file', { sha256: SHA256, size: 2 ** 40 }],
  ['no size', { sha256: SHA256, size: Number.NaN }],
  ['no hash', { sha256: '$(reboot)', size: 10 }],
])('a building host that says %s is refused before a part comes', async (_, described) => {
  const { bring, appended } = hosts({ a: 0 }, described);
  const from = { server: 'b', path: '/var/lib/app-build/shop/k/release.tar.gz' };
  const artifact = { state: 'present' as const, url: 'the build', sha256: SHA256, to: '/opt/a/1', from };
  const input = { server: 'a', taskserv: 'a', steps: [{ title: 'Bring it', artifact }], others: { b: {} } } as unknown as ActInput;
  const env = activityEnvironment({ heartbeatTimeoutMs: 10_000 });
  await expect(env.run(bring, input)).rejects.toThrow('has no file of at most 2048 MiB with a SHA-256');
  expect(appended).toEqual({});
});

test('a building host that sends less than it said is refused, and what has come of it is removed', async () => {
  const { bring, appended, dropped } = hosts({ a: 0 }, { sha256: SHA256, size: 10 });
  const from = { server: 'b', path: '/var/lib/app-build/shop/k/release.tar.gz' };
  const artifact = { state: 'present' as const, url: 'the build', sha256: SHA256, to: '/opt/a/1', from };
  const input = { server: 'a', taskserv: 'a', steps: [{ title: 'Bring it', artifact }], others: { b: {} } } as unknown as ActInput;
  const env = activityEnvironment({ heartbeatTimeoutMs: 10_000 });
  await expect(env.run(bring, input)).rejects.toThrow('the server b sent 0 bytes');
  expect([appended, dropped]).toEqual([{}, [SHA256]]);
});

test('an operation that is canceled waits for no server', async () => {
  answer = (response) => void response.writeHead(200, { 'content-length': BYTES.length }).write('a');
  const { bring } = hosts({ a: 0 });
  const { env, done } = inActivity(bring, 'a');
  const failed = expect(done).rejects.toThrow(CancelledFailure);
  await expect.poll(() => asked).toBe(1);
  env.cancel();
  await failed;
});
