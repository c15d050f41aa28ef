import { commands } from './commands.js';
import { type Invocation, readArgv, strangeOption } from './program/argv.js';
import { groupHelp, topHelp } from './program/help.js';
import { CONNECT } from './ssh/connect-name.js';
import { SERVE } from './start/warm-request.js';

const VERSION = new Set(['--version', '-V']);

/** Runs the typed command. Code of a command is loaded on demand. */
async function main(argv: readonly string[]): Promise<number> {
  const invocation = await orTaskserv(
    readArgv(
      argv,
      commands.map(({ name }) => name),
    ),
  );
  const { command, unknown, help, args } = invocation;
  const entry = commands.find(({ name }) => name === command);
  const isKnown = unknown === undefined && strangeOption(invocation) === undefined;
  if (isKnown && !entry && !args.some((arg) => VERSION.has(arg))) {
    process.stdout.write(command === '' ? topHelp() : `${groupHelp(command)}${await taskservToo(command)}`);
    return 0;
  }
  if (help && entry) {
    const [{ renderHelp }, loaded] = await Promise.all([import('./program/parse.js'), entry.load()]);
    process.stdout.write(`${renderHelp(entry.name, entry.summary, loaded.command)}${await taskservToo(entry.name)}`);
    return 0;
  }
  const { runCommand } = await import('./program/run-command.js');
  const asked = entry ?? (isKnown ? commands.find(({ name }) => name === 'version') : undefined);
  return runCommand(asked, invocation);
}

/** Interprets an unknown word in a help request as the name of a taskserv. */
async function orTaskserv(invocation: Invocation): Promise<Invocation> {
  if (!invocation.help || invocation.unknown === undefined) return invocation;
  const { redirectToTaskserv, loadKnownTaskservs } = await import('./program/taskserv-help.js');
  return redirectToTaskserv(invocation, await loadKnownTaskservs()) ?? invocation;
}

async function taskservToo(command: string): Promise<string> {
  const { loadKnownTaskservs, taskservToo: hintFor } = await import('./program/taskserv-help.js');
  return hintFor(command, await loadKnownTaskservs());
}

/** Answers a shell without any error. Pending work does not delay the answer. */
async function answerCompletion(typed: readonly string[]): Promise<void> {
  process.on('uncaughtException', () => process.exit(0));
  const { complete } = await import('./completion/complete.js');
  process.stdout.write(await complete(typed), () => process.exit(0));
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `provisioning … | head` closes the pipe: nothing reads further output.
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

async function answer(argv: readonly string[]): Promise<void> {
  // Called by the completion scripts at each press of the tab key. Not in the list of commands.
  if (argv[0] === '__complete') await answerCompletion(argv.slice(argv[1] === '--' ? 2 : 1));
  // Run by the worker to serve later commands. Not in the list either.
  else if (argv[0] === SERVE) await (await import('./start/serve.js')).serve(argv.slice(1));
  // Run by ssh as its proxy command.
  else if (argv[0] === CONNECT) process.exit(await (await import('./ssh/connect-stdio.js')).connectStdio(argv.slice(1)));
  else process.exitCode = await main(argv);
}

// Not awaited: a module with a top-level await is not a function, and only functions can be compiled in advance
// (start/pack.ts).
void answer(process.argv.slice(2));
