import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Outcome, provisioning, type StartedCommand, startCommand } from './command-line.js';
import type { TestEngine } from './engine.js';

/** Machine of a user with a context and a token, and without an engine. */
export interface RemoteHome {
  /** Folder for definitions. */
  folder: string;
  run(args: string[], input?: string): Promise<Outcome>;
  /** Returns the document of a command. @throws Error for another exit code than the expected one, 0 by default */
  json<T>(args: string[], expected?: { input?: string; code?: number }): Promise<T>;
  start(args: string[]): StartedCommand;
  remove(): Promise<void>;
}

/** @param more further variables of its commands */
export async function createRemoteHome(more: NodeJS.ProcessEnv = {}): Promise<RemoteHome> {
  const folder = await mkdtemp(join(tmpdir(), 'remote-home-'));
  const own = Object.entries(process.env).filter(([name]) => !/^(PROVISIONING|TEMPORAL)_/.test(name));
  const env = { ...Object.fromEntries(own), PROVISIONING_HOME: join(folder, 'home'), HOME: folder, ...more };
  const run = (args: string[], input?: string) => provisioning({ env }, args, input, folder);
  return {
    folder,
    run,
    async json<T>(args: string[], { input, code = 0 }: { input?: string; code?: number } = {}) {
      const outcome = await run([...args, '--json'], input);
      if (outcome.code !== code) throw new Error(`${args.join(' ')}: ${JSON.stringify(outcome)}`);
      return JSON.parse(outcome.stdout) as T;
    },
    start: (args) => startCommand({ env }, args),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Starts an API server as a user does, and reads the lines that it prints, by their first word, up to the trusted file. */
export async function startPrintingServer(
  engine: Pick<TestEngine, 'env'>,
  listen: string,
): Promise<{ server: ChildProcess; said: Readonly<Record<string, string>> }> {
  const program = resolve(import.meta.dirname, '../../bin/provisioning.js');
  const server = spawn(process.execPath, [program, 'serve', '--listen', listen], {
    env: engine.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: Record<string, string> = {};
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    const [name = '', value = ''] = line.split(/\s+/);
    said[name] = value;
    if (name === 'trust') return { server, said };
  }
  throw new Error(`the server does not listen on ${listen}`);
}

/** Starts an API server of an engine, and returns when it listens. */
export async function startApiServer(engine: Pick<TestEngine, 'env'>, listen: string): Promise<ChildProcess> {
  return (await startPrintingServer(engine, listen)).server;
}

/** Kills a server with kill -9. Its command runs it in a separate process and ends after it. */
export async function killApiServer(command: ChildProcess): Promise<void> {
  const closed = once(command, 'close');
  for (const pid of childrenIn(command)) process.kill(pid, 'SIGKILL');
  await closed;
}

/** The ids of the processes that a command runs. */
export const childrenIn = ({ pid }: ChildProcess): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
