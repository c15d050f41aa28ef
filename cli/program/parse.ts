import { Command as Commander, CommanderError, InvalidArgumentError, Option } from 'commander';
import { inputError } from '../../core/errors.js';
import { LIMITS } from '../../core/limits.js';
import { SHARE } from '../../core/operation/rolling.js';
import { clipText, findHiddenCharacter } from '../../core/text.js';
import { COMMON, type Command, type CommonFlags, type Input, type OptionSpec } from '../command.js';
import { EXIT_CODES } from './exit-codes.js';
import { shortcutFor } from './shortcuts.js';

/** Creates the parser of one command. */
function parserOf(name: string, summary: string, command: Command): Commander {
  const parser = new Commander(`provisioning ${name}`)
    .description(command.details ? `${summary}.\n\n${reflowed(command.details)}` : `${summary}.`)
    .helpOption(false)
    .exitOverride()
    .showSuggestionAfterError(true)
    .allowExcessArguments(false)
    .configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const [syntax, about] of command.arguments ?? []) parser.argument(syntax, about);
  for (const option of [...(command.options ?? []), ...COMMON]) parser.addOption(optionOf(option));
  return parser;
}

function optionOf({ flags, about, choices, number, share, repeated }: OptionSpec): Option {
  const option = new Option(flags, about);
  if (choices) {
    option.choices(choices.map(String));
    const chosen = option.parseArg as (text: string, former: unknown) => unknown;
    if (typeof choices[0] === 'number') option.argParser((text: string, former) => Number(chosen(text, former)));
  }
  if (repeated) option.argParser((text: string, former: string[] | undefined) => [...(former ?? []), text]);
  if (number) {
    option.argParser((text: string) => {
      if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is not a whole number from 1 on.');
      return Number(text);
    });
  }
  if (share) {
    option.argParser((text: string) => {
      if (SHARE.test(text)) return text;
      if (!/^[1-9]\d{0,6}$/.test(text))
        throw new InvalidArgumentError('It is neither a whole number from 1 on nor a share such as 25%.');
      return Number(text);
    });
  }
  return option;
}

/** Returns the text of `provisioning help NAME`. */
export function renderHelp(name: string, summary: string, command: Command): string {
  const lines = examplesOf(name, command).map((example) => `  provisioning ${example}\n`);
  const shortcut = shortcutFor(name);
  const short = shortcut === undefined ? '' : `\nShort: provisioning ${shortcut}\n`;
  return `${parserOf(name, summary, command).helpInformation()}${short}\nExamples:\n${lines.join('')}\n${EXIT_CODES}\n`;
}

/** Returns the command's examples, otherwise its shortest call. */
export function examplesOf(name: string, { examples, arguments: known = [] }: Command): readonly string[] {
  return examples ?? [[name, ...known.map(([syntax]) => syntax.replace(/\W/g, '').toUpperCase())].join(' ')];
}

/** Joins the lines of a help text. Line breaks in the source have no meaning; paragraphs stay. */
const reflowed = (text: string): string => text.replace(/(?<!\n)\n(?!\n)/g, ' ');

/** Rejects long arguments and control characters: arguments become part of ids, queries and printed lines. */
function checkArguments(name: string, args: readonly string[]): void {
  args.forEach((arg, index) => {
    const most = arg.startsWith('--set=') || args[index - 1] === '--set' ? LIMITS.changes : LIMITS.argument;
    const hidden = findHiddenCharacter(arg);
    const why =
      arg.length > most
        ? `an argument has ${arg.length} characters, at most ${most} are allowed`
        : `an argument contains the invalid character ${hidden}`;
    if (arg.length <= most && !hidden) return;
    throw inputError({
      code: 'bad-arguments',
      what: 'read the command line',
      on: clipText(arg, 40),
      why,
      hint: `provisioning help ${name}`,
    });
  });
}

/**
 * Parses the arguments of a command.
 *
 * @throws an input error with commander's reason
 */
export function parse(name: string, summary: string, command: Command, args: string[], rest: string[]): Input {
  const parser = parserOf(name, summary, command);
  checkArguments(name, args);
  try {
    parser.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const why = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
    throw inputError({ code: 'bad-arguments', what: 'read the command line', why, hint: `provisioning help ${name}` });
  }
  return {
    args: parser.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string'),
    flags: parser.opts<CommonFlags>(),
    rest,
  };
}
