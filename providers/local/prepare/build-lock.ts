import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process of this machine runs the same. The lock is a Linux abstract socket, which the
 * kernel removes with its process, even after a crash.
 */
export async function alone<T>(name: string, work: () => Promise<T>, waiting: () => void): Promise<T> {
  let lock = await take(name);
  for (; !lock; lock = await take(name)) {
    waiting();
    await sleep(500);
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

function take(name: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen(`\0provisioning/${name}`, () => resolve(server));
  });
}
