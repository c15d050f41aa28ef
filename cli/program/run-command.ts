import { inputError, ProvisioningError } from '../../core/errors.js';
import { EXIT, exitCodeOfCommand } from '../../core/exit-codes.js';
import { clipText } from '../../core/text.js';
import { didYouMean, nearest } from '../../definition/source/did-you-mean.js';
import type { Command, CommonFlags, Input } from '../command.js';
import { type CommandEntry, commands } from '../commands.js';
import { addMessages, jsonText } from '../render/document.js';
import { createSession } from '../session.js';
import { settleOutput } from '../shared/settings/settle-output.js';
import { type Invocation, optionsWithoutCommand, strangeOption } from './argv.js';
import { detailsOf, failureDocument, renderError } from './failure.js';
import { Interrupted } from './interrupted.js';
import { checkPlace } from './needs-this-machine.js';
import { parse } from './parse.js';
import { createScreen, type Screen } from './screen.js';
import type { Session } from './session.js';
import { SHORTCUTS } from './shortcuts.js';
import { loadKnownTaskservs } from './taskserv-help.js';
import { yamlText } from './yaml-text.js';

/** Environment of a command: this process, or a test. */
export interface Place {
  out: Screen;
  err: Screen;
  sessionOf(flags: CommonFlags): Session;
}

const thisProcess = (): Place => ({
  out: createScreen(process.stdout, process.env),
  err: createScreen(process.stderr, process.env),
  sessionOf: createSession,
});

/**
 * Parses and runs a command, and reports its error.
 *
 * @returns the exit code
 */
export async function runCommand(
  entry: CommandEntry | undefined,
  invocation: Invocation,
  place: Place = thisProcess(),
): Promise<number> {
  let session: Session | undefined;
  try {
    if (!entry) throw await unknownCommand(invocation);
    const { command } = await entry.load();
    // If the command has its own `--version` option, the flag does not mean the program's version.
    const own = command.options?.some(({ flags }) => flags.startsWith('--version ')) === true;
    const args = own ? invocation.args : invocation.args.filter((arg) => arg !== '--version' && arg !== '-V');
    const input = await readInput(entry, command, args, invocation.rest);
    session = place.sessionOf(input.flags);
    await settleOutput(session, input.flags, place);
    checkPlace(entry.name, session);
    return await command.run(session, input);
  } catch (error) {
    if (error instanceof Interrupted) {
      place.err.write('Nothing was changed.\n');
      return EXIT.interrupted;
    }
    const yaml = invocation.args.includes('--yaml');
    const json = session?.json ?? (yaml || invocation.args.includes('--json'));
    const verbose = session?.verbose ?? invocation.args.includes('--verbose');
    const documentText = session?.documentText ?? (yaml ? await yamlText() : jsonText);
    if (json) place.out.write(documentText(addMessages(failureDocument(error), session?.messages)));
    if (!json || verbose) renderError(error, place.err, verbose);
    return exitCodeOfCommand(detailsOf(error));
  } finally {
    await session?.close();
  }
}

/**
 * Reads the input of a command.
 *
 * @throws an input error; its hint names the closest command of a group, or the equivalent of another platform's
 * options
 */
async function readInput(entry: CommandEntry, command: Command, args: string[], rest: string[]): Promise<Input> {
  try {
    return parse(entry.name, entry.summary, command, args, rest);
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    const { equivalentOptions } = await import('./equivalents.js');
    const [word = ''] = args;
    const isGroup = commands.some(({ name }) => name.startsWith(`${entry.name} `));
    const near = isGroup && !word.startsWith('-') ? meantBy(entry.name, word, []) : undefined;
    const hint = near ?? equivalentOptions(entry.name, command, args);
    throw hint === undefined ? error : new ProvisioningError({ ...error.details, hint }, { cause: error });
  }
}

async function unknownCommand(invocation: Invocation): Promise<Error> {
  const { command, unknown = '', args } = invocation;
  const option = unknown === '' ? strangeOption(invocation) : undefined;
  if (option !== undefined) return unknownOption(option);
  const { equivalentCommand } = await import('./equivalents.js');
  const words = args.filter((arg) => !arg.startsWith('-'));
  return inputError({
    code: 'unknown-command',
    what: 'find the command',
    on: [command, unknown].filter(Boolean).join(' '),
    why: 'there is no such command',
    hint:
      equivalentCommand(command === '' ? words : [...command.split(' '), ...words]) ??
      turned(words) ??
      meantBy(command, unknown, Object.keys(await loadKnownTaskservs())),
  });
}

const unknownOption = (option: string): Error =>
  inputError({
    code: 'bad-arguments',
    what: 'read the command line',
    on: clipText(option, 40),
    why: 'no such option exists',
    hint: didYouMean(option, optionsWithoutCommand()),
  });

/** Turns `create server` into `server create`, also for plurals and shortcuts. */
function turned([verb = '', noun = '']: readonly string[]): string | undefined {
  const group = SHORTCUTS[noun] ?? noun.replace(/s$/, '');
  const name = `${group} ${verb}`;
  return commands.some((entry) => entry.name === name) ? `did you mean "${name}"?` : undefined;
}

/**
 * Returns a suggestion for an unknown word after `command`: a verb whose group is missing, or the closest valid word.
 */
function meantBy(command: string, unknown: string, taskservs: readonly string[]): string | undefined {
  const names = commands.map(({ name }) => name);
  const verbs = command === '' ? names.filter((name) => name.endsWith(` ${unknown}`)) : [];
  if (verbs.length > 0) return `did you mean ${verbs.map((name) => `"${name}"`).join(' or ')}?`;
  const prefix = command === '' ? '' : `${command} `;
  const words = new Set(names.flatMap((name) => (name.startsWith(prefix) ? (name.slice(prefix.length).split(' ')[0] ?? []) : [])));
  const others = command === '' || command === 'taskserv' ? taskservs : [];
  // A command takes precedence over a taskserv that is equally close.
  const near = nearest(unknown, [...words, ...others]);
  if (near === undefined) return didYouMean(unknown, words);
  if (words.has(near)) return `did you mean "${prefix}${near}"?`;
  return `did you mean the taskserv "${near}"? provisioning help ${near}`;
}
