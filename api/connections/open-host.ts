import { connect, type Socket } from 'node:net';
import { unreachableError } from '../../core/errors.js';

/** How long a host may take, in milliseconds. */
export interface HostTimes {
  /** To take the connection. */
  connect: number;
  /** To say that it speaks SSH. */
  greeting: number;
}

const TIMES: HostTimes = { connect: 15_000, greeting: 20_000 };
/** Bytes that a host may write before its identification (RFC 4253, 4.2). */
const MOST_GREETING = 8 * 1024;
const WHAT = 'connect to the SSH port';

/**
 * Connects to a port and waits until SSH answers there, so that no byte of the caller reaches another kind of service.
 * The bytes of the host can be read from the socket again.
 *
 * @param on the server's name, for errors: they never contain the address
 * @throws unreachableError `host-unreachable`, `ssh-handshake`
 */
export async function openHost(
  { address, port }: { address: string; port: number },
  { on, signal, times = TIMES }: { on: string; signal: AbortSignal; times?: HostTimes },
): Promise<Socket> {
  const socket = connect({ host: address, port, signal, noDelay: true });
  // It may fail between two steps; the next one finds it destroyed.
  socket.on('error', () => {});
  try {
    await connected(socket, times.connect, on);
    await greeted(socket, times.greeting, on);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const connected = (socket: Socket, ms: number, on: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => reject(unreachableError({ code: 'host-unreachable', what: WHAT, on, why }));
    const timer = setTimeout(() => fail(`it did not answer within ${ms / 1000} s`), ms);
    socket.once('connect', resolve);
    // The text of the error has the address, which the caller need not know.
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the connection failed'));
    socket.once('close', () => {
      clearTimeout(timer);
      fail('the connection was closed');
    });
    socket.once('connect', () => clearTimeout(timer));
  });

const greeted = (socket: Socket, ms: number, on: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let said: Buffer = Buffer.alloc(0);
    const timer = setTimeout(() => end('it did not begin to speak SSH'), ms);
    const closed = () => end('it closed the connection');
    function end(why?: string): void {
      clearTimeout(timer);
      socket.off('data', read).off('close', closed).pause();
      if (why === undefined) {
        socket.unshift(said);
        resolve();
      } else reject(unreachableError({ code: 'ssh-handshake', what: WHAT, on, why }));
    }
    function read(chunk: Buffer): void {
      said = Buffer.concat([said, chunk]);
      if (/(^|\n)SSH-/.test(said.toString('latin1'))) end();
      else if (said.length > MOST_GREETING) end('it does not speak SSH');
    }
    socket.on('data', read).on('close', closed);
  });
