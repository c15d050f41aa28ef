import { commands } from './commands.js';
import { type FakeOptions, fakeSession } from './fake-session.js';
import { readArgv } from './program/argv.js';
import { runCommand } from './program/run-command.js';

const NAMES = commands.map(({ name }) => name);

/** For tests: runs a typed command line in a fake session. */
export async function runLine(line: string, options: FakeOptions = {}) {
  const argv = line.split(' ');
  const invocation = readArgv(argv, NAMES);
  const session = fakeSession({ json: argv.includes('--json') || argv.includes('--yaml'), ...options });
  const code = await runCommand(
    commands.find(({ name }) => name === invocation.command),
    invocation,
    {
      out: session.out,
      err: session.err,
      sessionOf: ({ env }) => Object.assign(session, { environment: env ?? session.environment }),
    },
  );
  return { code, out: session.said(), err: session.complained(), session };
}
