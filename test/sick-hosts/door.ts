import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { behave, type Sickness } from '../support/sick-server.js';

/** A loopback port that forwards to a host, until the host falls sick. */
export interface Door {
  port: number;
  /** Starts the sickness and closes open connections. Returns the time in milliseconds. */
  fallSick(): number;
  /** Time at which the host fell sick. */
  since?: number;
  close(): Promise<void>;
}

/** @param to the port behind the door; without it the host is sick from the beginning */
export async function openDoor(sickness: Sickness, to?: number): Promise<Door> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    keep(socket);
    if (door.since !== undefined) {
      socket.resume();
      behave(socket, sickness);
      return;
    }
    const inner = connect(to as number, '127.0.0.1');
    keep(inner);
    socket.pipe(inner).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const door: Door = {
    port: (server.address() as AddressInfo).port,
    fallSick() {
      door.since ??= Date.now();
      for (const socket of sockets) socket.destroy();
      return door.since;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  if (to === undefined) door.since = Date.now();
  return door;
}
