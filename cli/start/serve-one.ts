import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { lineReader } from '../../client/socket/socket-protocol.js';
import { askBeforePrograms } from '../../definition/languages/run-limited.js';
import { commands } from '../commands.js';
import { readArgv } from '../program/argv.js';
import { createScreen } from '../program/screen.js';
import { createSession, type Terminal } from '../session.js';
import type { WarmReply, WarmRequest } from './warm-request.js';

/** Maximum characters of a request: an environment and arguments. */
const LINE = 8 * 1024 * 1024;

/** Process that serves one command at a time. */
interface Server {
  build: string;
  place: string;
  /** Returns false if another command is running. */
  take(): boolean;
  done(): void;
  /** Called if the client has another build: the next serving process must have that build. */
  replaced(): void;
  /** Ends this process. */
  leave(): void;
}

/** Runs the command of one connection, if this process is equivalent to the client's. */
export async function serveOne(socket: Socket, server: Server): Promise<void> {
  let request: WarmRequest | undefined;
  let state: 'new' | 'taken' | 'running' | 'over' = 'new';
  const stops = new Set<() => void>();
  const say = (reply: WarmReply) => void (socket.destroyed || socket.write(`${JSON.stringify(reply)}\n`));
  const refuse = () => {
    state = 'over';
    socket.end(`${JSON.stringify({ refused: true } satisfies WarmReply)}\n`);
  };
  const take = (line: string): void => {
    if (state === 'new') {
      request = JSON.parse(line) as WarmRequest;
      if (request.build !== server.build) server.replaced();
      const isMine = request.build === server.build && request.place === server.place && isCommand(request) && server.take();
      if (!isMine) refuse();
      else {
        state = 'taken';
        say({ ready: true });
      }
    } else if (state === 'taken' && request) {
      state = 'running';
      void run(request);
    } else if (state === 'running') for (const stop of [...stops]) stop();
  };
  socket.setEncoding('utf8');
  socket.on('error', () => {}).on('data', lineReader(take, () => socket.destroy(), LINE) as unknown as (chunk: Buffer) => void);
  // The client is gone: end the command, as if its own process had ended.
  socket.on('close', () => {
    if (state === 'taken') server.done();
    if (state === 'running') server.leave();
    state = 'over';
  });

  async function run(asked: WarmRequest): Promise<void> {
    const before = { env: { ...process.env }, mask: process.umask() };
    try {
      process.chdir(asked.cwd);
    } catch {
      refuse();
      return server.done();
    }
    become(asked.env);
    process.umask(asked.umask);
    askBeforePrograms(() => {
      refuse();
      server.leave();
      return new Promise(() => {});
    });
    const exit = await carryOut(asked, terminalOf(asked, say, stops));
    askBeforePrograms(undefined);
    become(before.env);
    process.umask(before.mask);
    // Do not keep a user's folder in use.
    process.chdir('/');
    state = 'over';
    socket.end(`${JSON.stringify({ exit } satisfies WarmReply)}\n`);
    server.done();
  }
}

const invocationOf = ({ argv }: WarmRequest) =>
  readArgv(
    argv,
    commands.map(({ name }) => name),
  );

/** Returns whether a request runs a command. Help and unknown commands are answered without it. */
function isCommand(request: WarmRequest): boolean {
  const { command, help, unknown } = invocationOf(request);
  return !help && unknown === undefined && commands.some(({ name }) => name === command);
}

async function carryOut(request: WarmRequest, terminal: Terminal): Promise<number> {
  const { env } = request;
  const { runCommand } = await import('../program/run-command.js');
  const invocation = invocationOf(request);
  return runCommand(
    commands.find(({ name }) => name === invocation.command),
    invocation,
    {
      out: createScreen(terminal.stdout, env),
      err: createScreen(terminal.stderr, env),
      sessionOf: (flags) => createSession(flags, process.env, terminal),
    },
  );
}

function terminalOf({ out, err }: WarmRequest, say: (reply: WarmReply) => void, stops: Set<() => void>): Terminal {
  return {
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout: {
      ...screen(out),
      write: (text) => {
        say(typeof text === 'string' ? { out: text } : { data: Buffer.from(text).toString('base64') });
        return true;
      },
    },
    stderr: {
      ...screen(err),
      write: (text) => {
        say({ err: text.toString() });
        return true;
      },
    },
    begun: (what) => say({ begun: what }),
    onInterrupt(stop) {
      const once = () => {
        stops.delete(once);
        stop();
      };
      stops.add(once);
      say({ listens: true });
      return () => {
        if (stops.delete(once)) say({ listens: stops.size > 0 });
      };
    },
  };
}

const screen = (columns: number | undefined) => ({ isTTY: columns !== undefined, columns: columns ?? 0, rows: 0 });

/** Replaces the environment of this process in place: programs and libraries keep a reference to it. */
function become(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}
