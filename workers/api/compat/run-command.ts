import { spawn } from 'node:child_process';
import type { CommandLine, RunningCommand } from '../../../api/compat/command-line.js';
import { bugError, ProvisioningError } from '../../../core/errors.js';

/** Characters of a document that are read. */
const MOST_OUTPUT = 16 * 1024 * 1024;
/** Commands at a time; further ones wait. */
const MOST_COMMANDS = 4;

export interface CommandPlace {
  /** `provisioning.js`. */
  program: string;
  /** The folder of definitions. */
  cwd: string;
  /** A home with only the server and its token. */
  home: string;
  workspace: string;
}

/**
 * Runs commands of Provisioning with `--json`, in processes of their own: they read definitions, which may be large. They get no variable
 * of this process, which may have keys and passwords of the platform.
 */
export function createRunner({ program, cwd, home, workspace }: CommandPlace): (line: CommandLine) => RunningCommand {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: home, PROVISIONING_HOME: home, LANG: 'C.UTF-8' };
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = async () => {
    if (running >= MOST_COMMANDS) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
  };
  const leave = () => {
    running--;
    waiting.shift()?.();
  };

  async function runOne({ args, input = '' }: CommandLine): Promise<Record<string, unknown>> {
    await enter();
    try {
      const child = spawn(process.execPath, [program, ...args, '--workspace', workspace, '--json'], { cwd, env, stdio: 'pipe' });
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      child.stderr.resume();
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < MOST_OUTPUT) text += chunk;
      });
      await new Promise<void>((resolve, reject) => child.once('error', reject).once('close', () => resolve()));
      const document = parseDocument(text);
      if ('error' in document && typeof document.error === 'object' && document.error !== null) throw errorOf(document.error);
      return document;
    } finally {
      leave();
    }
  }

  return (line) => ({ ended: runOne(line) });
}

function parseDocument(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw noDocument();
  }
}

const noDocument = () => bugError({ code: 'bad-answer', what: 'run the command', why: 'it printed no document' });

/** The error in the document of a command that failed. */
function errorOf(error: object): ProvisioningError {
  const { step, on, why, code, hint } = error as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const [known, place, remedy] = [text(code), text(on), text(hint)];
  if (known === undefined) return noDocument();
  return new ProvisioningError({
    code: known,
    blame: 'user',
    what: text(step) ?? 'run the command',
    why: text(why) ?? 'it reported no reason',
    ...(place !== undefined && { on: place }),
    ...(remedy !== undefined && { hint: remedy }),
  });
}
