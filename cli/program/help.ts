import { type CommandEntry, commands } from '../commands.js';
import { EXIT_CODES } from './exit-codes.js';
import { shortcutFor } from './shortcuts.js';

const USAGE = 'Usage: provisioning COMMAND [ARGUMENTS] [OPTIONS]';
const MORE = `${EXIT_CODES}

More on one: provisioning help COMMAND, provisioning help TASKSERV
Short names of commands: provisioning shortcuts
Options of all: --json, --yaml, --workspace NAME, --env NAME, --verbose`;

/** Returns the list of all commands. */
export function topHelp(): string {
  const groups = [...new Set(commands.filter(inGroup).map(({ name }) => groupOf(name)))];
  const single = table(commands.filter((command) => !inGroup(command)));
  return [
    USAGE,
    '',
    'Commands:',
    single,
    ...groups.map((group) => `\n${heading(group)}\n${table(members(group))}`),
    '',
    MORE,
    '',
  ].join('\n');
}

/** Returns the commands of one group. */
export function groupHelp(group: string): string {
  return [`Usage: provisioning ${group} COMMAND [ARGUMENTS] [OPTIONS]`, '', heading(group), groupTable(group), '', MORE, ''].join(
    '\n',
  );
}

const inGroup = ({ name }: CommandEntry): boolean => name.includes(' ');
const groupOf = (name: string): string => name.split(' ')[0] as string;
const members = (group: string): CommandEntry[] => commands.filter(({ name }) => name.startsWith(`${group} `));

/** Titles of groups whose plural is irregular. */
const TITLES: Readonly<Record<string, string>> = { config: 'Settings' };

function heading(group: string): string {
  const short = shortcutFor(group);
  const title = TITLES[group] ?? `${group[0]?.toUpperCase()}${pluralOf(group.slice(1))}`;
  return `${title}${short ? ` (short: ${short})` : ''}:`;
}

function table(rows: readonly CommandEntry[]): string {
  return rows.map(({ name, summary }) => `  ${name.padEnd(18)} ${summary}`).join('\n');
}

/** Returns the commands of a group without its name, each with its shortcut. */
function groupTable(group: string): string {
  const rows = members(group).map(({ name, summary }) => [name.slice(group.length + 1), shortcutFor(name) ?? '', summary] as const);
  const [words, short] = [widthOf(rows.map(([text]) => text)), widthOf(rows.map(([, text]) => text))];
  return rows.map(([text, shortcut, summary]) => `  ${text.padEnd(words)} ${shortcut.padEnd(short)} ${summary}`).join('\n');
}

const widthOf = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));

const pluralOf = (noun: string): string => (/ch$/.test(noun) ? `${noun}es` : /tion$/.test(noun) ? noun : `${noun}s`);
