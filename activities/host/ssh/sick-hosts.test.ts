import { getActiveResourcesInfo } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, test } from 'vitest';
import { makePair } from '../../../stores/key-pair.js';
import { type SickServer, sicknesses, startSickServer } from '../../../test/support/sick-server.js';
import { logIn } from './ssh-login.js';

const { private: privateKey } = makePair('test');
const LIMIT_MS = 1_000;

const loginTo = (port: number, on = `web-1 (root@127.0.0.1:${port})`) =>
  logIn({ address: '127.0.0.1', port, user: 'root', privateKey, on, verify: () => true, limitMs: LIMIT_MS });

/** Asked again until it is so: what is destroyed is gone a moment later. */
async function soon(check: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 500 && !check(); turn++) await sleep(10);
  return check();
}

let server: SickServer | undefined;
afterEach(() => server?.close());

// An `error` event without a listener fails the run: Vitest reports what is uncaught.
describe.each(sicknesses)('a login to a host that is sick: %s', (sickness) => {
  test('fails in its time, names the host, and leaves no connection open', async () => {
    server = await startSickServer(sickness);
    const { port } = server;
    const before = getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => loginTo(port)));
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { details: { code: 'ssh-handshake', blame: 'weather', on: `web-1 (root@127.0.0.1:${port})` } },
      });
    }
    expect(server.taken()).toBe(5);
    expect(await soon(() => server?.open() === 0)).toBe(true);
    expect(await soon(() => getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length <= before)).toBe(true);
  });
});

test('an endless banner is given up at its bytes, not at its time', async () => {
  server = await startSickServer('endless banner');
  await expect(
    logIn({ address: '127.0.0.1', port: server.port, user: 'root', privateKey, on: 'web-1', verify: () => true, limitMs: 600_000 }),
  ).rejects.toThrow(/web-1: (it sent more than 1024 KiB|Max greeting lines)/);
});

test('a key that is none is the user’s fault', async () => {
  server = await startSickServer('silent');
  await expect(
    logIn({ address: '127.0.0.1', port: server.port, user: 'root', privateKey: 'no key', on: 'web-1', verify: () => true }),
  ).rejects.toMatchObject({ details: { code: 'ssh-key-unreadable', blame: 'user' } });
  expect(await soon(() => server?.open() === 0)).toBe(true);
});

test('errors of a connection after its end have a listener', async () => {
  const hostKeys = [makePair('host').private];
  const host = new ssh2.Server({ hostKeys }, (client) =>
    client.on('authentication', (context) => context.accept()).on('error', () => {}),
  );
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const client = await loginTo((host.address() as { port: number }).port);
  const closed = new Promise<void>((resolve) => void client.once('close', () => resolve()));
  expect(() => client.emit('error', new Error('Connection lost before handshake'))).not.toThrow();
  await closed;
  expect(() => client.emit('error', new Error('and once more'))).not.toThrow();
  await new Promise<void>((resolve) => host.close(() => resolve()));
});
