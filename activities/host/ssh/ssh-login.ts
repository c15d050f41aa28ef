import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { inputError, messageOf } from '../../../core/errors.js';
import { faultOf, handshakeFault } from './ssh-faults.js';

/** Milliseconds from the first packet until we are logged in: what does not come about in that time is given up. */
export const LOGIN_MS = 10_000;

/** Bytes that a host may send before we are logged in. Honest ones send about 4 KiB, with a long banner some more. */
const BYTES_BEFORE_LOGIN = 1024 * 1024;

export interface Login {
  address: string;
  port: number;
  user: string;
  privateKey: string | Buffer;
  /** Names the server and where it is reached, for errors. */
  on: string;
  /** A stream to the address through another host. Default: a socket of its own. */
  through?: Duplex;
  /** Whether this is the host's key. */
  verify(key: Buffer): boolean;
  /** Milliseconds; tests shorten them. */
  limitMs?: number;
}

/**
 * Logs in within `limitMs`. After a failure the socket is closed whatever the other side does, and every later event
 * still has a listener: ssh2 reports a connection that ends before its handshake by a second `error`, which would end
 * the process.
 *
 * @throws `host-unreachable` if nothing accepts the connection, `ssh-handshake` if no working SSH server accepts it,
 * `ssh-key-refused`, `ssh-key-unreadable`
 */
export async function logIn(login: Login): Promise<ssh2.Client> {
  const { address, port, user: username, privateKey, on, through, verify, limitMs = LOGIN_MS } = login;
  const until = Date.now() + limitMs;
  const stream = through ?? (await openSocket(address, port, on, limitMs));
  const client = new ssh2.Client();
  return new Promise((resolve, reject) => {
    let settled = false;
    let received = 0;
    let keyShown = false;
    const fail = (error: Error) => {
      stream.destroy();
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      reject(error);
    };
    const late = () => fail(handshakeFault(on, `no login within ${Math.round(limitMs / 1000)} s: ${progress()}`));
    const timer = setTimeout(late, Math.max(0, until - Date.now()));
    const progress = () => {
      if (keyShown) return 'the server showed its key, and then nothing more came';
      return received === 0 ? 'it accepts connections, and says nothing' : 'what it says is no SSH handshake';
    };
    const count = (chunk: Buffer) => {
      received += chunk.length;
      if (received > BYTES_BEFORE_LOGIN)
        fail(handshakeFault(on, `it sent more than ${BYTES_BEFORE_LOGIN / 1024} KiB before a login`));
    };
    stream.on('error', () => {});
    stream.on('data', count);
    client.on('error', (error: Error & { level?: string }) =>
      fail(error.level === 'client-authentication' || keyShown ? faultOf(error, on) : handshakeFault(on, messageOf(error), error)),
    );
    client.on('close', () => fail(handshakeFault(on, 'it closed the connection before a login')));
    client.once('ready', () => {
      stream.off('data', count);
      if (settled) return client.destroy();
      settled = true;
      clearTimeout(timer);
      resolve(client);
    });
    try {
      client.connect({
        sock: stream,
        username,
        privateKey,
        // The time is kept here, from the first packet on, and not started again by ssh2.
        readyTimeout: 0,
        keepaliveInterval: 5_000,
        keepaliveCountMax: 3,
        hostVerifier: (key: Buffer) => {
          keyShown = true;
          return verify(key);
        },
      });
    } catch (error) {
      const why = messageOf(error);
      fail(inputError({ code: 'ssh-key-unreadable', what: 'read the SSH key', on, why }, { cause: error }));
    }
  });
}

function openSocket(host: string, port: number, on: string, limitMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => socket.destroy(new Error(`no answer within ${Math.round(limitMs / 1000)} s`)), limitMs);
    const failed = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(faultOf(error, on));
    };
    // Stays: an error that comes between this and the handshake has a listener too.
    socket.on('error', failed);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}
