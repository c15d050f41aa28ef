import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import { afterEach, expect, test, vi } from 'vitest';
import { endWithInput } from '../../app/application/read-logs.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { makePair } from '../../stores/key-pair.js';
import type { KeyStore } from '../../stores/keys.js';
import { type SshHost, startSshHost } from '../../test/support/ssh-host.js';
import { createHostScripts } from './host-scripts.js';

const SCOPE = { workspace: 'w', infra: 'i', uuid: 'u' };
const pinned: string[] = [];
let known: string | undefined;
const keys = {
  infras: async () => ['i'],
  infraKey: async () => makePair('ours'),
  pinned: async () => known,
  pin: async (_owner: unknown, _server: string, key: string) => void pinned.push(key),
} as unknown as KeyStore;

const serverAt = (port: number, more: object = {}): InventoryServer =>
  ({ name: 's', connection: { kind: 'ssh', address: '127.0.0.1', port, user: 'root' }, spec: { name: 's' }, ...more }) as never;

let host: SshHost | undefined;
afterEach(async () => {
  await host?.close();
  host = undefined;
  known = undefined;
});

/** Closes the input of a command with its channel, as sshd does. Running commands are counted. */
const running = new Set<number | undefined>();
function bash(channel: ServerChannel, command: string): void {
  const child = spawn('bash', ['-c', command]);
  running.add(child.pid);
  child.stdin.on('error', () => {});
  child.stdout.on('error', () => {});
  channel.pipe(child.stdin);
  channel.once('close', () => child.stdin.end());
  child.stdout.pipe(channel, { end: false });
  child.once('close', (code) => {
    running.delete(child.pid);
    channel.exit(code ?? 1);
    channel.end();
  });
}

test('a script runs on a host whose key is known, over a connection that ends with it', async () => {
  host = await startSshHost();
  known = host.publicKey;
  const { run, close } = await createHostScripts({ keys }).open(SCOPE, [serverAt(host.port)]);
  let text = '';
  const onOutput = (part: string) => {
    text += part;
  };
  expect(await run(serverAt(host.port), 'echo out; echo why >&2; exit 3', { onOutput })).toMatchObject({
    ...{ exit: 3, stderr: 'why\n' },
  });
  expect(text).toBe('out\n');
  await vi.waitFor(() => expect(host?.open()).toBe(0), 30_000);
  close();
});

test('a host whose key is not known is refused, and no key is pinned', async () => {
  host = await startSshHost();
  const { run, close } = await createHostScripts({ keys }).open(SCOPE, [serverAt(host.port)]);
  await expect(run(serverAt(host.port), 'true')).rejects.toMatchObject({ details: { code: 'host-key-unknown' } });
  known = makePair('another').public;
  await expect(run(serverAt(host.port), 'true')).rejects.toMatchObject({ details: { code: 'host-key-changed' } });
  close();
  expect(pinned).toEqual([]);
});

test('a host key that the definition says counts', async () => {
  host = await startSshHost();
  const spec = { name: 's', host: { kind: 'ssh', hostKey: host.publicKey } };
  const server = serverAt(host.port, { spec });
  const { run, close } = await createHostScripts({ keys }).open(SCOPE, [server]);
  expect(await run(server, 'true')).toMatchObject({ exit: 0 });
  close();
});

test('whoever leaves a script that prints nothing leaves no process and no connection', async () => {
  host = await startSshHost({ exec: bash });
  known = host.publicKey;
  const { run, close } = await createHostScripts({ keys }).open(SCOPE, [serverAt(host.port)]);
  const left = new AbortController();
  const output = new PassThrough();
  const script = endWithInput('bash -c "echo begun; exec sleep 1000"');
  const ran = run(serverAt(host.port), script, { signal: left.signal, output, input: new PassThrough() });
  await new Promise((resolve) => output.once('data', resolve));
  expect([running.size, host.open()]).toEqual([1, 1]);
  left.abort();
  await expect(ran).rejects.toBe(left.signal.reason);
  close();
  await vi.waitFor(() => expect([running.size, host?.open()]).toEqual([0, 0]), 30_000);
});

test('a demo server has no machine, and the machine of the worker has to be allowed', async () => {
  const { run } = await createHostScripts({ keys }).open(SCOPE, []);
  const on = (kind: string) => run(serverAt(1, { connection: { kind } }), 'true');
  await expect(on('demo')).rejects.toMatchObject({ details: { code: 'no-machine' } });
  await expect(on('this')).rejects.toMatchObject({ details: { code: 'this-host-not-allowed' } });
});
