import type { Command } from '../command.js';

/**
 * Commands of the predecessor platform with their equivalents here. Commands with the same name in both are not
 * listed.
 */
export const COMMANDS: Readonly<Record<string, string>> = {
  allenv: 'config show',
  'control-center': 'ui',
  env: 'config env',
  generate: 'init',
  guide: 'help',
  'guide customize': 'cluster templates',
  'guide from-scratch': 'init',
  'guide update': 'help taskserv upgrade',
  'infra list': 'cluster list',
  orchestrator: 'status',
  'orchestrator start': 'up',
  'orchestrator status': 'status',
  'orchestrator stop': 'down',
  price: 'cost FILE',
  providers: 'provider list',
  'server price': 'cost FILE',
  server_create_workflow: 'server create --file FILE',
  'start-orchestrator': 'up',
  'taskserv check-updates': 'taskserv outdated',
};

/** Options of that platform that are fields of a definition here. */
const FIELDS = new Set(['--plan', '--provider', '--region', '--zone']);
/** Options with a different name here. */
const RENAMED: Readonly<Record<string, string>> = { '--settings': '--file' };

/**
 * Returns the equivalent of a command.
 *
 * @returns a hint; undefined if no equivalent is known
 */
export function equivalentCommand(words: readonly string[]): string | undefined {
  const known = words.map((_, index) => words.slice(0, index + 1).join(' ')).findLast((text) => Object.hasOwn(COMMANDS, text));
  return known === undefined ? undefined : `in this program: provisioning ${COMMANDS[known]}`;
}

/**
 * Returns the equivalent of a command line with options of that platform.
 *
 * @param args of the command, including options
 * @returns a hint, or undefined if no such option is present or the command cannot use its value
 */
export function equivalentOptions(name: string, { options = [] }: Command, args: readonly string[]): string | undefined {
  const known = new Set(options.map(({ flags }) => flags.split(' ')[0] as string));
  const fields: string[] = [];
  const words: string[] = [];
  let renamed = false;
  const split = args.flatMap((arg) => (arg.startsWith('--') ? arg.split(/=(.*)/s, 2) : [arg]));
  for (let index = 0; index < split.length; index++) {
    const word = split[index] as string;
    const other = RENAMED[word];
    if (FIELDS.has(word) && known.has('--var') && !known.has(word)) {
      const value = split[++index] ?? word.slice(2).toUpperCase();
      fields.push(word.slice(2));
      words.push('--var', `${word.slice(2)}=${value}`);
    } else if (other !== undefined && known.has(other) && !known.has(word)) {
      renamed = true;
      words.push(other);
    } else words.push(word);
  }
  if (fields.length === 0) return renamed ? `in this program: ${line(name, words)}` : undefined;
  if (!words.includes('--file')) words.push('--file', 'FILE');
  const written = fields.map((field) => `${field}: "{{ vars.${field} }}"`).join(' and ');
  return `in this program: ${line(name, words)}, where the definition has ${written}`;
}

const line = (name: string, words: readonly string[]): string => ['provisioning', name, ...words].join(' ');
