import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { lineReader } from '../../../client/socket/socket-protocol.js';
import type { Home } from '../../../home/home.js';
import { checkPrivate } from '../../../home/private-folder.js';
import { GO, INTERRUPT, placeOfProcess, type WarmReply, type WarmRequest } from './request.js';

/** How long whoever serves may take to say that it is ready, in milliseconds. It may be busy with another command. */
const READY_MS = 300;

/**
 * Has a command carried out by the process that serves this home's commands: what it prints is printed here, and
 * its exit code is that of this process.
 *
 * @returns false where nobody began it: it is still to be done
 */
export async function askWarm(home: Home, build: string, argv: readonly string[]): Promise<boolean> {
  try {
    // Whoever answers gets this environment: nobody but this user may be it.
    await checkPrivate(dirname(home.warm));
  } catch {
    return false;
  }
  const request: WarmRequest = {
    build,
    place: placeOfProcess(),
    argv: [...argv],
    cwd: process.cwd(),
    env: Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    umask: process.umask(),
    ...(process.stdout.isTTY && { out: process.stdout.columns || 80 }),
    ...(process.stderr.isTTY && { err: process.stderr.columns || 80 }),
  };
  return new Promise((resolve) => carry(connect(home.warm), request, resolve));
}

function carry(socket: Socket, request: WarmRequest, resolve: (done: boolean) => void): void {
  let state: 'asked' | 'begun' | 'over' = 'asked';
  const end = (done: boolean) => {
    if (state === 'over') return;
    state = 'over';
    clearTimeout(late);
    process.off('SIGINT', interrupt);
    socket.destroy();
    resolve(done);
  };
  const late = setTimeout(() => end(false), READY_MS);
  const interrupt = () => void socket.write(`${INTERRUPT}\n`);
  const take = (reply: WarmReply): void => {
    if (state === 'over') return;
    if ('ready' in reply) {
      clearTimeout(late);
      state = 'begun';
      socket.write(`${GO}\n`);
    } else if ('refused' in reply) end(false);
    else if ('out' in reply) process.stdout.write(reply.out);
    else if ('data' in reply) process.stdout.write(Buffer.from(reply.data, 'base64'));
    else if ('err' in reply) process.stderr.write(reply.err);
    else if ('listens' in reply) listen(reply.listens);
    else {
      process.exitCode = reply.exit;
      end(true);
    }
  };
  const listen = (listens: boolean) => {
    process.off('SIGINT', interrupt);
    // The second Ctrl-C ends this process, and with it the command.
    if (listens) process.once('SIGINT', interrupt);
  };
  const read = lineReader(
    (line) => take(JSON.parse(line) as WarmReply),
    () => socket.destroy(),
  );
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  socket
    .setEncoding('utf8')
    .on('data', read as (chunk: Buffer | string) => void)
    .on('error', () => {})
    .on('close', () => {
      if (state !== 'begun') return end(false);
      process.stderr.write(LOST);
      process.exitCode = 1;
      end(true);
    });
  socket.write(`${JSON.stringify(request)}\n`);
}

const LOST =
  'cannot follow the command: the process that carried it out ended\nhint: provisioning workflow list shows what it began; operations go on\n';

/** Tells the worker that commands are given: it has somebody serve the next ones. Nobody waits for that. */
export function wantWarm(home: Home): void {
  const socket = connect(home.socket, () => socket.end('{"id":1,"method":"warm"}\n'));
  socket.on('error', () => {}).unref();
}
