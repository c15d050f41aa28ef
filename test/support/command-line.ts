import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestEngine } from './engine.js';
import { eventually } from './operations.js';

const PROGRAM = join(resolve(dirname(fileURLToPath(import.meta.url)), '../..'), 'bin/provisioning.js');

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command as a user does, in a separate process, with an engine's home and in a folder. */
export async function provisioning(engine: Pick<TestEngine, 'env'>, args: string[], input = '', cwd?: string): Promise<Outcome> {
  const child = start(engine, args, cwd);
  child.stdin?.end(input);
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, ...said };
}

/** Running command, with the work that it started. */
export interface StartedCommand {
  /** Returns the id of the operation, as soon as the command prints it. */
  id(): Promise<string>;
  /** Returns its output so far. */
  stdout(): string;
  stderr(): string;
  /** kill -9. */
  kill(): void;
  ended: Promise<Outcome>;
}

/** Starts a command that starts an operation. */
export function startCommand(engine: Pick<TestEngine, 'env'>, args: string[]): StartedCommand {
  const child = start(engine, args);
  child.stdin?.end();
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: (code as number | null) ?? -1, ...said }));
  return {
    async id() {
      while (child.exitCode === null && child.signalCode === null) {
        const [, id] = /^operation (\S+)$/m.exec(said.stderr) ?? [];
        if (id !== undefined) return id;
        await sleep(20);
      }
      throw new Error(`the command ended before it began an operation: ${said.stderr}`);
    },
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}

/**
 * Repeats a command until its result passes, and returns it. Polls slowly: each start takes half a second of processor
 * time.
 */
export function untilCommand(engine: Pick<TestEngine, 'env'>, args: string[], check: (outcome: Outcome) => void): Promise<Outcome> {
  const run = async () => {
    const outcome = await provisioning(engine, args);
    check(outcome);
    return outcome;
  };
  return eventually(run, undefined, 1_500);
}

/** Starts `provisioning ui` as a user does, and returns its session and a way to end it. */
export async function webUiOf(engine: TestEngine) {
  const child = start(engine, ['ui', '--json']);
  child.stdin?.end();
  let text = '';
  const ready = new Promise<{ url: string; origin: string; target: string }>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.trimEnd().endsWith('}')) resolve(JSON.parse(text));
    });
    child.once('close', () => reject(new Error(`the Web UI ended: ${text}`)));
  });
  const { url, origin, target } = await ready;
  const opened = await fetch(url);
  const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return {
    url,
    origin,
    /** Temporal's own Web UI, behind it. */
    target,
    get: async (path: string) => (await fetch(`${origin}${path}`, { headers: { cookie } })).json() as Promise<unknown>,
    post: async (path: string, body: unknown) =>
      (
        await fetch(`${origin}${path}`, { method: 'POST', headers: { cookie, origin }, body: JSON.stringify(body) })
      ).json() as Promise<unknown>,
    /** Presses Ctrl-C and returns the exit code. */
    async end(): Promise<number | null> {
      child.kill('SIGINT');
      const [code] = (await once(child, 'close')) as [number | null];
      return code;
    },
  };
}

function start({ env }: Pick<TestEngine, 'env'>, args: string[], cwd?: string): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], { env, stdio: 'pipe', cwd });
}
