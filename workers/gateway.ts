import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { Client } from '../client/client.js';
import { lineReader, type SocketReply, type SocketRequest } from '../client/socket-protocol.js';
import { messageOf, ProvisioningError } from '../core/errors.js';

/** Serves the client's calls of this machine's front doors on a socket that only its owner may open. */
export async function serveGateway(path: string, client: Client): Promise<{ close(): Promise<void> }> {
  await rm(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    socket.setEncoding('utf8');
    socket.on('data', lineReader((line) => void answer(socket, client, line)) as (chunk: Buffer | string) => void);
  });
  const mask = process.umask(0o077);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  process.umask(mask);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.end();
      }),
  };
}

/** The call in a line; undefined where whoever speaks is no client of ours. */
function requestIn(line: string): SocketRequest | undefined {
  try {
    const { id, method, args } = JSON.parse(line) as SocketRequest;
    return { id, method, args };
  } catch {
    return undefined;
  }
}

async function answer(socket: Socket, client: Client, line: string): Promise<void> {
  const request = requestIn(line);
  if (!request) return void socket.destroy();
  const { id, method, args } = request;
  const say = (reply: SocketReply) => void (socket.destroyed || socket.write(`${JSON.stringify(reply)}\n`));
  try {
    if (method === 'follow') {
      const stop = new AbortController();
      socket.once('close', () => stop.abort());
      for await (const event of client.follow(args[0] as string, { signal: stop.signal })) say({ id, event });
      return say({ id, result: null });
    }
    const call = client[method] as ((...rest: unknown[]) => Promise<unknown>) | undefined;
    if (!call || method === 'close') throw new Error(`no such call: ${method}`);
    // JSON has no undefined: what is not there is null on the way.
    say({ id, result: (await call(...args)) ?? null });
  } catch (error) {
    say({
      id,
      error:
        error instanceof ProvisioningError
          ? error.details
          : { code: 'unexpected', blame: 'bug', what: 'answer a call', on: method, why: messageOf(error) },
    });
  }
}
