import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Faults of a server that accepts connections instead of an SSH server. */
export const SICKNESSES = {
  silent: 'says nothing',
  closing: 'closes each connection at once',
  garbage: 'sends random bytes and waits',
  'half a banner': 'sends "SSH-2.0-Open" and waits',
  'endless banner': 'sends lines without end',
  'one byte a second': 'sends its banner, a byte a second',
} as const;

export type Sickness = keyof typeof SICKNESSES;

export const sicknesses = Object.keys(SICKNESSES) as Sickness[];

export interface SickServer {
  port: number;
  /** Returns the number of accepted connections. */
  taken(): number;
  /** Returns the number of open connections, from this side. */
  open(): number;
  close(): Promise<void>;
}

/** Starts a faulty TCP server, by default on loopback. It closes connections only if that is the fault. */
export async function startSickServer(
  sickness: Sickness,
  { port = 0, address = '127.0.0.1' }: { port?: number; address?: string } = {},
): Promise<SickServer> {
  const sockets = new Set<Socket>();
  let taken = 0;
  // Half open, to detect connections that the other side does not destroy.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    taken++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    // A half-closed socket accepts writes; a destroyed one answers with a reset.
    socket.once('end', () => {
      const probe = setInterval(() => socket.write('.'), 20);
      socket.once('close', () => clearInterval(probe));
    });
    socket.resume();
    behave(socket, sickness);
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => taken,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Handles a connection like a host with this fault. */
export function behave(socket: Socket, sickness: Sickness): void {
  if (sickness === 'closing') socket.destroy();
  if (sickness === 'garbage') socket.write(randomBytes(4096));
  if (sickness === 'half a banner') socket.write('SSH-2.0-Open');
  if (sickness === 'endless banner') {
    const lines = `${'welcome '.repeat(8)}\r\n`.repeat(200);
    const more = () => {
      while (!socket.destroyed && socket.write(lines));
    };
    socket.on('drain', more);
    more();
  }
  if (sickness === 'one byte a second') {
    const banner = 'SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3 with a banner that takes its time\r\n';
    let sent = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || sent === banner.length) return clearInterval(timer);
      socket.write(banner[sent++] as string);
    }, 1_000);
    socket.on('close', () => clearInterval(timer));
  }
}
