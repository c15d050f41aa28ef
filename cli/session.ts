import type { Client } from '../client/client.js';
import { chooseContext } from '../client/http/connection.js';
import type { LastingOptions } from '../client/lasting-client.js';
import { type Home, homeOf } from '../home/home.js';
import { principal } from '../home/principal.js';
import { noteUse } from '../home/workspaces/registry.js';
import { type ChosenWorkspace, checkWorkspaceName, chooseWorkspace } from '../home/workspaces/which.js';
import type { CommonFlags } from './command.js';
import { Interrupted } from './program/interrupted.js';
import { createScreen, type Output, printable } from './program/screen.js';
import type { BegunWork, Session } from './program/session.js';

/** Streams of the terminal in which a command runs. */
export interface Terminal {
  stdin: Session['stdin'];
  stdout: Output;
  stderr: Output;
  onInterrupt: Session['onInterrupt'];
  /** Called with work that was started. */
  begun?(what: BegunWork): void;
}

const thisProcess = (): Terminal => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt(stop) {
    process.once('SIGINT', stop);
    return () => void process.off('SIGINT', stop);
  },
});

/** Returns whether a text is for programs too, and not only about this process. */
export const isMessage = (text: string): boolean => /^(note|warning): /.test(text);

/** Creates the session of this process. */
export function createSession(
  flags: CommonFlags,
  given: NodeJS.ProcessEnv = process.env,
  { stdin, stdout, stderr, onInterrupt, begun }: Terminal = thisProcess(),
): Session {
  const env = flags.context === undefined ? given : { ...given, PROVISIONING_CONTEXT: flags.context };
  const home = homeOf(env);
  // Every command reports an invalid name, whether or not it acts in a workspace.
  const named = flags.workspace ?? (env.PROVISIONING_WORKSPACE || undefined);
  if (named !== undefined) checkWorkspaceName(named);
  let chosen: ChosenWorkspace | undefined;
  const json = flags.json === true || flags.yaml === true;
  const out = createScreen(stdout, env);
  const err = createScreen(stderr, env);
  const interactive = !json && stdin.isTTY === true && out.live;
  let connected: Promise<Client> | undefined;
  const messages: string[] = [];
  const lasting = {
    away: (ms: number) => void err.write(awayText(ms, whoAnswers({ home, env }))),
    back: () => void err.write(`${whoAnswers({ home, env })} answers again\n`),
  };
  return {
    ...(interactive ? { ask: textOf } : {}),
    env,
    home,
    // Chosen at first use: commands without a workspace also run if none can be chosen.
    get workspace() {
      return this.chosen.name;
    },
    get chosen() {
      if (chosen) return chosen;
      const contextWorkspace = chooseContext({ home, env })?.workspace;
      chosen = chooseWorkspace({ home, env, cwd: process.cwd(), contextWorkspace }, flags.workspace);
      if (chosen.registered) noteUse(home, chosen.registered);
      return chosen;
    },
    actor: principal(),
    json,
    cwd: process.cwd(),
    get folder() {
      try {
        return this.chosen.registered?.folder;
      } catch {
        // Commands that need the workspace report the error. An unregistered folder has no settings.
        return undefined;
      }
    },
    environment: flags.env ?? (env.PROVISIONING_ENV || undefined),
    verbose: flags.verbose === true,
    out,
    err,
    stdin,
    interactive,
    client: () => {
      connected ??= lastingClientOf({ home, env }, lasting);
      return connected;
    },
    begun(what) {
      begun?.(what);
      const [kind = '', id] = Object.entries(what)[0] ?? [];
      if (!json) err.write(`${kind} ${id}\n`);
    },
    async monthlyCost(definition) {
      return (await import('../authoring/catalog/costs.js')).computeMonthlyCost(this, definition);
    },
    async engine() {
      await (await import('./shared/engine-of-new-home.js')).startFirstEngine(this);
      // A connection from before the engine was started failed.
      await connected?.catch(() => {
        connected = undefined;
      });
      return this.client();
    },
    messages,
    note(text) {
      if (isMessage(text)) messages.push(text);
      err.write(`${text}\n`);
    },
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
    onInterrupt,
    async close() {
      const client = await connected?.catch(() => undefined);
      connected = undefined;
      await client?.close();
    },
  };
}

/**
 * Returns a client that waits for a worker that has ended, and reports it. Fails immediately if the first connection
 * fails.
 */
async function lastingClientOf(at: { home: Home; env: NodeJS.ProcessEnv }, lasting: LastingOptions): Promise<Client> {
  const [{ connect }, { createLastingClient }] = await Promise.all([
    import('../client/connect.js'),
    import('../client/lasting-client.js'),
  ]);
  const first = await connect(at);
  let isFirst = true;
  const open = async () => {
    if (!isFirst) return connect(at);
    isFirst = false;
    return first;
  };
  return createLastingClient(open, lasting);
}

const awayText = (ms: number, who: string): string =>
  `${who} does not answer: waiting up to ${Math.round(ms / 1_000)} s for it; what was begun goes on\n`;

const whoAnswers = (at: { home: Home; env: NodeJS.ProcessEnv }): string => (chooseContext(at) ? 'the server' : 'the worker');

/**
 * Asks for a text that is shown as it is typed.
 *
 * @throws Interrupted at Ctrl-C
 */
async function textOf(question: string): Promise<string> {
  const { text, isCancel } = await import('@clack/prompts');
  const answer = await text({ message: printable(question) });
  if (isCancel(answer)) throw new Interrupted();
  return answer;
}
