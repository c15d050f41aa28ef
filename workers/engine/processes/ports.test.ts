import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { choosePorts, isFree, type Ports, readWantedPorts } from './ports.js';

const taken: Server[] = [];
afterEach(() => {
  for (const server of taken.splice(0)) server.close();
});

async function take(port = 0): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  taken.push(server);
  return (server.address() as { port: number }).port;
}

describe('the ports of a home', () => {
  test('are free ones, and the same again the next time', async () => {
    const first = await choosePorts({});
    expect(new Set(Object.values(first)).size).toBe(4);
    for (const port of Object.values(first)) expect(await isFree(port)).toBe(true);
    expect(await choosePorts({}, first)).toEqual(first);
  });

  test('are waited for while a server that was killed still has them', async () => {
    const first = await choosePorts({});
    await take(first.grpc);
    const server = taken.pop();
    setTimeout(() => server?.close(), 100);
    expect(await choosePorts({}, first)).toEqual(first);
    await take(first.ui);
    const other = taken.pop();
    setTimeout(() => other?.close(), 100);
    expect((await choosePorts({ ui: first.ui })).ui).toBe(first.ui);
  });

  test('are given up when a stranger took one meanwhile', async () => {
    const first = await choosePorts({});
    await take(first.ui);
    const second: Ports = await choosePorts({}, first);
    expect(Object.values(second)).not.toContain(first.ui);
  });

  test('that are configured are taken as they are', async () => {
    const grpc = await take();
    taken.pop()?.close();
    expect((await choosePorts({ grpc })).grpc).toBe(grpc);
  });

  test('that are configured and in use give one error, with the port and its holder', async () => {
    const grpc = await take();
    const error = await choosePorts({ grpc }).catch((thrown) => thrown);
    expect(error.details).toMatchObject({ code: 'port-in-use', blame: 'user', on: `port ${grpc}` });
    if (process.platform === 'linux') expect(error.message).toContain(`process ${process.pid}`);
    expect(error.details.hint).toContain('PROVISIONING_PORT');
  });
});

test('a configured port that is none is refused', () => {
  expect(readWantedPorts({ PROVISIONING_PORT: '7233', PROVISIONING_UI_PORT: '' })).toEqual({ grpc: 7233, ui: undefined });
  expect(() => readWantedPorts({ PROVISIONING_UI_PORT: '70000' })).toThrow('PROVISIONING_UI_PORT: "70000" is not a port');
});
