import { SHORTCUTS } from './shortcuts.js';

/** What was typed, in one form: `help x`, `x help` and `x --help` are the same, and so are `sls` and `server list`. */
export interface Invocation {
  /** The words of the command as far as they are known, `server create`; empty when none was given. */
  command: string;
  help: boolean;
  /** The first word that is no command, where one was expected. */
  unknown?: string;
  /** What follows the command, options that stood before it included. */
  args: string[];
  /** What follows `--`, untouched. */
  rest: string[];
}

const HELP = new Set(['--help', '-h']);
/** Options that may stand before the command and take a value. */
const VALUED = new Set(['--workspace', '--env']);
/** What needs no command. */
const WITHOUT_COMMAND = new Set(['--json', '--yaml', '--verbose', '--workspace', '--version', '-V']);

/**
 * @param argv without the interpreter and the program
 * @param names of all commands, groups written as `server create`
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
    // A command may be the name of a group, too: `version`, `version check`.
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
  // `redis help` asks for a taskserv, as `help redis` does.
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

/** The first option that means nothing without a command. */
export const strangeOption = ({ args }: Pick<Invocation, 'args'>): string | undefined =>
  args.find((arg) => arg.startsWith('-') && !WITHOUT_COMMAND.has(arg.replace(/=.*/s, '')));

/** The options that mean something without a command. */
export const optionsWithoutCommand = (): Set<string> => new Set([...WITHOUT_COMMAND, ...HELP]);
