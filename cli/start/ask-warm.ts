import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { lineReader } from '../../client/socket/socket-protocol.js';
import { EXIT } from '../../core/exit-codes.js';
import type { Home } from '../../home/home.js';
import { checkPrivate } from '../../home/private-folder.js';
import type { BegunWork } from '../program/session.js';
import { GO, INTERRUPT, placeOfProcess, type WarmReply, type WarmRequest } from './warm-request.js';

/** Time limit for the serving process to be ready, in milliseconds. It may be busy with another command. */
const READY_MS = 300;

/**
 * Has the process that serves this home's commands run a command. Its output is printed here, and its exit code
 * becomes that of this process.
 *
 * @returns the arguments that remain to be run: all of them if the command was not started; those that continue it if
 * the serving process ended; undefined if nothing remains
 */
export async function askWarm(home: Home, build: string, argv: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    // The serving process receives this environment, so it must belong to this user.
    await checkPrivate(dirname(home.warm));
  } catch {
    return argv;
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

function carry(socket: Socket, request: WarmRequest, resolve: (left: readonly string[] | undefined) => void): void {
  let state: 'asked' | 'begun' | 'over' = 'asked';
  let begun: BegunWork | undefined;
  const end = (left?: readonly string[]) => {
    if (state === 'over') return;
    state = 'over';
    clearTimeout(late);
    process.off('SIGINT', interrupt);
    socket.destroy();
    resolve(left);
  };
  const late = setTimeout(() => end(request.argv), READY_MS);
  const interrupt = () => void socket.write(`${INTERRUPT}\n`);
  const take = (reply: WarmReply): void => {
    if (state === 'over') return;
    if ('ready' in reply) {
      clearTimeout(late);
      state = 'begun';
      socket.write(`${GO}\n`);
    } else if ('refused' in reply) end(request.argv);
    else if ('begun' in reply) begun = reply.begun;
    else if ('out' in reply) process.stdout.write(reply.out);
    else if ('data' in reply) process.stdout.write(Buffer.from(reply.data, 'base64'));
    else if ('err' in reply) process.stderr.write(reply.err);
    else if ('listens' in reply) listen(reply.listens);
    else {
      process.exitCode = reply.exit;
      end();
    }
  };
  const listen = (listens: boolean) => {
    process.off('SIGINT', interrupt);
    // A second Ctrl-C ends this process and with it the command.
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
      if (state !== 'begun') return end(request.argv);
      if (begun) return end(followOn(begun, request.argv));
      process.stderr.write(LOST);
      process.exitCode = EXIT.notFollowed;
      end();
    });
  socket.write(`${JSON.stringify(request)}\n`);
}

const LOST =
  'error: cannot follow the command: the process that carried it out ended\nhint: provisioning workflow list shows what it began; operations go on\n';

/** Returns the command that follows work of another command. */
function followOn(begun: BegunWork, argv: readonly string[]): string[] {
  const kept = argv.filter((arg) => ['--json', '--yaml', '--verbose'].includes(arg));
  return 'operation' in begun ? ['workflow', 'follow', begun.operation, ...kept] : ['batch', 'follow', begun.batch, ...kept];
}

/**
 * Notifies the worker that commands are in use, so that it starts a serving process for the next ones. Does not wait
 * for it.
 */
export function wantWarm(home: Home): void {
  const socket = connect(home.socket, () => socket.end('{"id":1,"method":"warm"}\n'));
  socket.on('error', () => {}).unref();
}
