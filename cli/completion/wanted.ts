import { COMMON, type Command, type OptionSpec } from '../command.js';
import type { CommandEntry } from '../commands.js';
import { readArgv } from '../program/argv.js';
import { SHORTCUTS } from '../program/shortcuts.js';
import { kindOfArgument, kindOfOption, type ValueKind } from './kinds.js';
import type { Candidate } from './values.js';

/** Candidates for the current word. */
export interface WordCandidates {
  /** Part of the word that precedes each candidate: `--infra=`, `web-1,`. */
  prefix: string;
  /** Candidates that are known without a query. */
  candidates: Candidate[];
  /** Kind of values to query. */
  kind?: ValueKind;
  /** Infra that the line already names. */
  infra?: string;
  workspace?: string;
}

const HELP: OptionSpec = { flags: '--help', about: 'print the help of the command' };
/** Kinds that accept several comma-separated names. */
const LISTED: readonly ValueKind[] = ['server', 'taskserv'];

/**
 * Determines the candidates for the current word.
 *
 * @param typed the words after the program, ending with the current one
 */
export async function findWanted(typed: readonly string[], commands: readonly CommandEntry[]): Promise<WordCandidates> {
  const { words, current, prefix } = divided(typed);
  if (words.includes('--')) return { prefix, candidates: [] };
  const names = commands.map(({ name }) => name);
  const { command, unknown, help, args } = readArgv(words, names);
  const entry = commands.find(({ name }) => name === command);
  const loaded = entry && (await entry.load()).command;
  const options = [...(loaded?.options ?? []), ...COMMON];
  const said = { infra: valueIn(args, '--infra'), workspace: valueIn(args, '--workspace') };
  const open = optionBefore(args, options) ?? optionOf(prefix.replace(/=$/, ''), options);
  if (open) return { ...ofOption(open, current, prefix), ...said };
  if (current.startsWith('-')) return { prefix, candidates: [...options, HELP].map(flagOf) };
  if (!loaded) {
    const isTaskservToo = help && (command === '' || command === 'taskserv');
    if (unknown !== undefined) return { prefix, candidates: [] };
    const short = command === '' && current !== '' ? shortcutsOf(commands) : [];
    return {
      prefix,
      candidates: [...nextWords(command, commands, help), ...short],
      ...(isTaskservToo ? { kind: 'taskserv' as const } : {}),
    };
  }
  if (help) return { prefix, candidates: [] };
  const found = { ...ofArgument(command, loaded, { args, options, current }), ...said };
  // A command may also be the name of a group.
  const isGroup = args.length === 0 && names.some((name) => name.startsWith(`${command} `));
  return isGroup ? { ...found, candidates: [...nextWords(command, commands, help), ...found.candidates] } : found;
}

/** Splits the typed words. Bash splits `--infra=shop` at the `=`, unlike other shells; the result is the same. */
function divided(typed: readonly string[]): { words: string[]; current: string; prefix: string } {
  const words = typed.slice(0, -1);
  const current = typed.at(-1) ?? '';
  const [, option, value] = /^(--[a-z-]+=)(.*)$/s.exec(current) ?? [];
  if (option !== undefined) return { words: joined(words), current: value ?? '', prefix: option };
  // The word before the `=` is an option that waits for its value.
  if (current === '=') return { words: joined(words), current: '', prefix: '' };
  if (words.at(-1) === '=') return { words: joined(words.slice(0, -1)), current, prefix: '' };
  return { words: joined(words), current, prefix: '' };
}

const joined = (words: readonly string[]): string[] => words.filter((word) => word !== '=');

function ofOption(option: OptionSpec, current: string, prefix: string): WordCandidates {
  if (option.choices) return { prefix, candidates: option.choices.map((choice) => ({ value: String(choice) })) };
  const kind = kindOfOption(option.flags);
  return { prefix: `${prefix}${listBefore(kind, current)}`, candidates: [], kind };
}

function ofArgument(
  command: string,
  { arguments: taken = [] }: Command,
  { args, options, current }: { args: readonly string[]; options: readonly OptionSpec[]; current: string },
): WordCandidates {
  const given = args.filter((arg, index) => !arg.startsWith('-') && !optionBefore(args.slice(0, index), options));
  const last = taken.at(-1);
  const [syntax] = taken[given.length] ?? (last?.[0].includes('...') ? last : []);
  const kind = syntax === undefined ? 'nothing' : kindOfArgument(command, syntax);
  return { prefix: listBefore(kind, current), candidates: [], kind };
}

const listBefore = (kind: ValueKind, current: string): string =>
  LISTED.includes(kind) ? current.slice(0, current.lastIndexOf(',') + 1) : '';

/** Returns the option at the end of the typed words that still needs its value. */
function optionBefore(args: readonly string[], options: readonly OptionSpec[]): OptionSpec | undefined {
  return optionOf(args.at(-1) ?? '', options);
}

const optionOf = (name: string, options: readonly OptionSpec[]): OptionSpec | undefined =>
  options.find(({ flags }) => flags.startsWith(`${name} `) && name.startsWith('--'));

function valueIn(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at === -1 ? args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1) : args[at + 1];
}

const flagOf = ({ flags, about }: OptionSpec): Candidate => ({ value: flags.split(' ')[0] as string, about });

/** Returns the words that may follow a command, without duplicates. Groups have no description. */
function nextWords(command: string, commands: readonly CommandEntry[], help: boolean): Candidate[] {
  const before = command === '' ? '' : `${command} `;
  const next = new Map<string, string | undefined>();
  for (const { name, summary } of commands) {
    if (!name.startsWith(before)) continue;
    const [word = '', ...more] = name.slice(before.length).split(' ');
    if (!next.has(word) || more.length === 0) next.set(word, more.length === 0 ? summary : undefined);
  }
  if (command === '' && !help) next.set('help', 'Show what a command does, or a taskserv is');
  return [...next].map(([value, about]) => ({ value, ...(about === undefined ? {} : { about }) }));
}

/**
 * Returns shortcuts with the commands that they represent. They are offered after the first letter, because all of
 * them would hide the commands.
 */
function shortcutsOf(commands: readonly CommandEntry[]): Candidate[] {
  const summaries = new Map(commands.map(({ name, summary }) => [name, summary]));
  return Object.entries(SHORTCUTS).map(([value, long]) => {
    const summary = summaries.get(long);
    return { value, about: summary === undefined ? long : `${long}: ${summary}` };
  });
}
