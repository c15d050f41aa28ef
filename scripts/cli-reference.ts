/**
 * `npm run cli-reference`: writes docs/reference/cli.md, the manual of all commands, from the declarations of the
 * commands.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMMON, type Command, type OptionSpec } from '../cli/command.js';
import { type CommandEntry, commands } from '../cli/commands.js';
import { EXIT_CODES } from '../cli/program/exit-codes.js';
import { examplesOf } from '../cli/program/parse.js';
import { SHORTCUTS } from '../cli/program/shortcuts.js';
import { commandCount } from './commands/command-count.js';

/** Returns the text of docs/reference/cli.md. */
export async function cliReference(): Promise<string> {
  const loaded = await Promise.all(commands.map(async (entry) => ({ entry, ...(await entry.load()) })));
  const { pairs, names, aliases } = commandCount();
  const [heading = '', ...codes] = EXIT_CODES.split('\n');
  return `${[
    '# Commands',
    'Written by `npm run cli-reference` from the help texts of the commands; do not edit. `provisioning help COMMAND` says the same of one.',
    `${pairs} commands that ask something of their own or show it in a way of their own (\`npm run command-count\`), by ${names} names, ${aliases} of them aliases.`,
    '## Options of all commands',
    optionTable(COMMON),
    `## ${heading.replace(/:.*/, '')}`,
    codes
      .flatMap((line) => line.trim().split(' · '))
      .filter(Boolean)
      .map((line) => `- ${line}`)
      .join('\n'),
    '## Shortcuts',
    'The shortcut of a command is that of its group and the letters of its verb: `s` is `server`, `sls` is `server list`.',
    shortcutList(),
    ...loaded.flatMap(({ entry, command }) => sectionOf(entry, command)),
  ].join('\n\n')}\n`;
}

function sectionOf({ name, summary }: CommandEntry, command: Command): string[] {
  const { arguments: taken = [], options = [], details } = command;
  const usage = ['provisioning', name, ...taken.map(([syntax]) => syntax), ...(options.length > 0 ? ['[options]'] : [])];
  return [
    `## ${name}`,
    `${summary}.`,
    `\`\`\`\n${usage.join(' ')}\n\`\`\``,
    ...(details ? [details] : []),
    ...(taken.length > 0 ? [table('argument', taken)] : []),
    ...(options.length > 0 ? [optionTable(options)] : []),
    `\`\`\`sh\n${examplesOf(name, command)
      .map((example) => `provisioning ${example}`)
      .join('\n')}\n\`\`\``,
  ];
}

const optionTable = (options: readonly OptionSpec[]): string =>
  table(
    'option',
    options.map(({ flags, about, choices }) => [flags, choices ? `${about}: ${choices.join(', ')}` : about] as const),
  );

/** Lists one line per group, after a line for commands without a group. */
function shortcutList(): string {
  const lines = new Map<string, string[]>([['', []]]);
  for (const [short, long] of Object.entries(SHORTCUTS)) {
    const [word = ''] = long.split(' ');
    const group = commands.some(({ name }) => name.startsWith(`${word} `)) ? word : '';
    lines.set(group, [...(lines.get(group) ?? []), `\`${short}\` ${long}`]);
  }
  return [...lines.values()].map((line) => `- ${line.join(', ')}`).join('\n');
}

const table = (head: string, rows: readonly (readonly [string, string])[]): string =>
  [
    `| ${head} | |`,
    '| --- | --- |',
    ...rows.map(([name, about]) => `| \`${name.replaceAll('|', '\\|')}\` | ${cell(about)} |`),
  ].join('\n');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(fileURLToPath(new URL('../docs/reference/cli.md', import.meta.url)), await cliReference());
