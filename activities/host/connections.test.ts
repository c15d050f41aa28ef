import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KeyPair, KeyStore } from '../stores/keys.js';
import { openConnections } from './connections.js';
import { CHANNELS_PER_CONNECTION } from './ssh.js';
import type { Target } from './transport.js';

const pair = (): KeyPair => {
  for (;;) {
    const made = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(made.private) instanceof Error)) return made;
  }
};
const ours = pair();
const hostKey = pair();

let pinned: string | undefined;
const keys = {
  infraKey: async () => ours,
  pinned: async () => pinned,
  pin: async (_owner: unknown, _server: string, key: string) => {
    pinned = key;
  },
} as unknown as KeyStore;

/** A host that counts what is open on each connection, and runs what it is given with bash. */
async function startHost(accepts: (key: Buffer) => boolean = () => true) {
  const most: number[] = [];
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    const index = most.push(0) - 1;
    let open = 0;
    client.on('error', () => {});
    client.on('authentication', (context) => {
      if (context.method === 'publickey' && accepts(context.key.data)) context.accept();
      else context.reject(['publickey']);
    });
    client.on('session', (accept) => {
      open++;
      most[index] = Math.max(most[index] ?? 0, open);
      accept().once('exec', (acceptExec) => {
        const channel = acceptExec();
        const child = spawn('bash', ['-s']);
        channel.pipe(child.stdin);
        child.stdout.on('data', (chunk) => channel.write(chunk));
        child.once('close', (code) => {
          open--;
          channel.exit(code ?? 1);
          channel.end();
        });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, most, close: () => new Promise((resolve) => server.close(resolve)) };
}

const targetAt = (port: number): Target => ({
  workspace: 'w',
  infra: 'i',
  server: 's',
  connection: { kind: 'ssh', address: '127.0.0.1', port, user: 'root' },
});

let transports: ReturnType<typeof openConnections>;
let host: Awaited<ReturnType<typeof startHost>>;
beforeEach(() => {
  pinned = undefined;
  transports = openConnections(keys);
});
afterEach(async () => {
  transports.close();
  await host.close();
});

test('twenty scripts at once share connections of at most eight channels', async () => {
  host = await startHost();
  const transport = await transports.open(targetAt(host.port));
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => transport.exec(`sleep 0.3; echo ${index}`)));
  expect(results.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(Math.max(...host.most)).toBe(CHANNELS_PER_CONNECTION);
  expect(host.most).toHaveLength(3);
  await transport.exec('true');
  expect(host.most).toHaveLength(3);
});

test('a fresh connection is really a new one', async () => {
  host = await startHost();
  await (await transports.open(targetAt(host.port))).exec('true');
  const fresh = await transports.open(targetAt(host.port), { fresh: true });
  await fresh.exec('true');
  fresh.close();
  expect(host.most).toHaveLength(2);
});

test('the first host key seen is pinned, and another one is refused by name', async () => {
  host = await startHost();
  await (await transports.open(targetAt(host.port))).exec('true');
  expect(pinned).toMatch(/^ssh-ed25519 /);
  pinned = pair().public;
  transports.forget(targetAt(host.port));
  const refused = transports.open(targetAt(host.port)).then((transport) => transport.exec('true'));
  await expect(refused).rejects.toMatchObject({
    details: { code: 'host-key-changed', blame: 'user', hint: expect.stringContaining('forget-key s') },
  });
});

test('a refused key is the user’s fault, a closed port the weather’s', async () => {
  host = await startHost(() => false);
  const refused = transports.open(targetAt(host.port)).then((transport) => transport.exec('true'));
  await expect(refused).rejects.toMatchObject({ details: { code: 'ssh-key-refused', blame: 'user' } });
  const closed = transports.open(targetAt(1)).then((transport) => transport.exec('true'));
  await expect(closed).rejects.toMatchObject({ details: { code: 'host-unreachable', blame: 'weather' } });
});
