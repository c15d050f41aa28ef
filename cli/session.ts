import type { Client } from '../app/client.js';
import type { Context } from '../app/context.js';
import { homeOf } from '../home/home.js';
import { principal } from '../home/principal.js';
import { workspaceOf } from '../home/workspace.js';
import type { CommonFlags } from './command.js';
import { Interrupted } from './program/interrupted.js';
import { printable, type Screen, screenOf } from './program/screen.js';

/** What a command has around it: streams, home, client. Tests put others in their place. */
export interface Session extends Context {
  json: boolean;
  verbose: boolean;
  out: Screen;
  err: Screen;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Whether a person can be asked. */
  interactive: boolean;
  /** @throws Interrupted at Ctrl-C */
  confirm(question: string): Promise<boolean>;
  /** Undefined at Ctrl-C. */
  choose<T extends string>(question: string, choices: readonly { value: T; label: string }[]): Promise<T | undefined>;
  /** Asks for what is not shown while it is typed. @throws Interrupted at Ctrl-C */
  hidden(question: string): Promise<string>;
  /** Calls back at Ctrl-C, until the returned function is called. */
  onInterrupt(stop: () => void): () => void;
  close(): Promise<void>;
}

/** The session of this process. */
export function sessionOf(flags: CommonFlags, env: NodeJS.ProcessEnv = process.env): Session {
  const home = homeOf(env);
  const workspace = workspaceOf(env, flags.workspace);
  const json = flags.json === true;
  const out = screenOf(process.stdout, env);
  const err = screenOf(process.stderr, env);
  const interactive = !json && process.stdin.isTTY === true && out.live;
  let connected: Promise<Client> | undefined;
  return {
    ...(interactive ? { ask: textOf } : {}),
    env,
    home,
    workspace,
    actor: principal(),
    json,
    verbose: flags.verbose === true,
    out,
    err,
    stdin: process.stdin,
    interactive,
    client: () => {
      connected ??= import('../client/connect.js').then(({ connect }) => connect({ home, env }));
      return connected;
    },
    note: (text) => void err.write(`${text}\n`),
    async confirm(question) {
      const { confirm, isCancel } = await import('@clack/prompts');
      const answer = await confirm({ message: printable(question), initialValue: false });
      if (isCancel(answer)) throw new Interrupted();
      return answer;
    },
    async choose(question, choices) {
      const { select, isCancel } = await import('@clack/prompts');
      const options = choices.map(({ value, label }) => ({ value: value as string, label: printable(label) }));
      const answer = await select({ message: printable(question), options });
      return isCancel(answer) ? undefined : choices.find(({ value }) => value === answer)?.value;
    },
    async hidden(question) {
      const { password, isCancel } = await import('@clack/prompts');
      const answer = await password({ message: printable(question) });
      if (isCancel(answer)) throw new Interrupted();
      return answer;
    },
    onInterrupt(stop) {
      process.once('SIGINT', stop);
      return () => void process.off('SIGINT', stop);
    },
    async close() {
      const client = await connected?.catch(() => undefined);
      connected = undefined;
      await client?.close();
    },
  };
}

/** Asks for a text, which is shown as it is typed. @throws Interrupted at Ctrl-C */
async function textOf(question: string): Promise<string> {
  const { text, isCancel } = await import('@clack/prompts');
  const answer = await text({ message: printable(question) });
  if (isCancel(answer)) throw new Interrupted();
  return answer;
}
