import type { Command } from '../command.js';

/**
 * Commands of the platform that this one follows, each with what does the same here. What has the same name in both
 * is not among them.
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

/** Options of that platform for what a definition says here. */
const FIELDS = new Set(['--plan', '--provider', '--region', '--zone']);
/** Options that have another name here. */
const RENAMED: Readonly<Record<string, string>> = { '--settings': '--file' };

/** @returns a hint; undefined where nothing is known to do the same */
export function equivalentCommand(words: readonly string[]): string | undefined {
  const known = words.map((_, index) => words.slice(0, index + 1).join(' ')).findLast((text) => Object.hasOwn(COMMANDS, text));
  return known === undefined ? undefined : `in this program: provisioning ${COMMANDS[known]}`;
}

/**
 * What says the same as a command line with options of that platform.
 *
 * @param args of the command, options among them
 * @returns a hint; undefined where no such option is among them, or the command could do nothing with its value
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
