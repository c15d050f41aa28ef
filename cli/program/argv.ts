import { SHORTCUTS } from './shortcuts.js';

/** Normalized command line: `help x`, `x help` and `x --help` are the same; `sls` and `server list` are too. */
export interface Invocation {
  /** Known words of the command, `server create`; empty if there are none. */
  command: string;
  help: boolean;
  /** First word that is not a command, if a command was expected. */
  unknown?: string;
  /** Arguments after the command, and options before it. */
  args: string[];
  /** Arguments after `--`, unchanged. */
  rest: string[];
}

const HELP = new Set(['--help', '-h']);
/** Options with a value that may come before the command. */
const VALUED = new Set(['--workspace', '--env']);
/** Options that need no command. */
const WITHOUT_COMMAND = new Set(['--json', '--yaml', '--verbose', '--workspace', '--version', '-V']);

/**
 * Parses a command line.
 *
 * @param argv without the interpreter and the program
 * @param names of all commands, with groups as in `server create`
 */
export function readArgv(argv: readonly string[], names: readonly string[]): Invocation {
  const end = argv.indexOf('--');
  const head = end === -1 ? [...argv] : argv.slice(0, end);
  const rest = end === -1 ? [] : argv.slice(end + 1);
  const early: string[] = [];
  const words: string[] = [];
  let help = false;
  const takeEarly = (): void => {
    while (head[0]?.startsWith('-') && head[0] !== '-') {
      const option = head.shift() as string;
      early.push(option);
      if (VALUED.has(option) && head[0] !== undefined) early.push(head.shift() as string);
    }
  };
  const takeHelp = (): void => {
    while (head[0] === 'help') {
      help = true;
      head.shift();
    }
  };
  const starts = (text: string): boolean => names.some((name) => name === text || name.startsWith(`${text} `));
  let unknown: string | undefined;
  for (;;) {
    takeEarly();
    takeHelp();
    takeEarly();
    const command = words.join(' ');
    // A command may also be the name of a group: `version`, `version check`.
    const goesOn = names.includes(`${command} ${head[0]}`);
    if (head[0] === undefined || (names.includes(command) && !goesOn)) break;
    const meant = words.length === 0 && Object.hasOwn(SHORTCUTS, head[0]) ? (SHORTCUTS[head[0]] as string) : head[0];
    if (!starts([...words, meant].join(' '))) {
      unknown = meant;
      break;
    }
    words.push(...meant.split(' '));
    head.shift();
  }
  // `redis help` shows a taskserv, like `help redis`.
  if (unknown !== undefined && head[1] === 'help') {
    help = true;
    head.splice(1, 1);
  }
  const args = [...early, ...head];
  const asked = args.some((arg) => HELP.has(arg));
  return {
    command: words.join(' '),
    help: help || asked,
    ...(unknown === undefined ? {} : { unknown }),
    args: args.filter((arg) => !HELP.has(arg)),
    rest,
  };
}

/** Returns the first option that is meaningless without a command. */
export const strangeOption = ({ args }: Pick<Invocation, 'args'>): string | undefined =>
  args.find((arg) => arg.startsWith('-') && !WITHOUT_COMMAND.has(arg.replace(/=.*/s, '')));

/** Returns the options that are valid without a command. */
export const optionsWithoutCommand = (): Set<string> => new Set([...WITHOUT_COMMAND, ...HELP]);
