import type { Share } from '../core/operation/rolling.js';
import type { Session } from './program/session.js';

/** Option as data. */
export interface OptionSpec {
  /** Syntax of commander: `--server <names>`. */
  flags: string;
  about: string;
  choices?: readonly string[] | readonly number[];
  /** Whole number, at least 1. */
  number?: boolean;
  /** May be given several times. */
  repeated?: boolean;
  /** Whole number, at least 1, or a share such as `25%`. */
  share?: boolean;
}

type Camel<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type ValueOf<O extends OptionSpec> = O extends { choices: readonly (infer Choice)[] }
  ? Choice
  : O extends { repeated: true }
    ? string[]
    : O extends { number: true }
      ? number
      : O extends { share: true }
        ? Share
        : string;
type FlagOf<O extends OptionSpec> = O extends { flags: `--no-${infer Name}` }
  ? { [Key in Camel<Name>]?: boolean }
  : O extends { flags: `--${infer Name} <${string}>` }
    ? { [Key in Camel<Name>]?: ValueOf<O> }
    : O extends { flags: `--${infer Name}` }
      ? { [Key in Camel<Name>]?: boolean }
      : never;
type All<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

/** Values of these options on a command line: `--batch-size <share>` is `batchSize`, `--no-wait` is `wait`. */
export type FlagsOf<Options extends readonly OptionSpec[]> = All<FlagOf<Options[number]>>;

type ArgumentSpec = readonly [syntax: string, about: string];

/** Arguments of a command: `<name>` is a string, `[name]` is optional, `<names...>` takes all that follow. */
type ArgsOf<Arguments extends readonly ArgumentSpec[]> = Arguments extends readonly [
  readonly [infer Syntax, string],
  ...infer Rest extends readonly ArgumentSpec[],
]
  ? Syntax extends `${string}...${string}`
    ? string[]
    : Syntax extends `[${string}`
      ? [string?, ...ArgsOf<Rest>]
      : [string, ...ArgsOf<Rest>]
  : [];

export interface Input<Args = string[], Flags = CommonFlags> {
  args: Args;
  flags: Flags & CommonFlags;
  /** Arguments after `--`. */
  rest: string[];
}

/** Command: data, and a `run` that parses, calls the client and renders. */
export interface Command {
  /** `<file>`, `[name]`, `<names...>`, each with a description. */
  arguments?: readonly ArgumentSpec[];
  options?: readonly OptionSpec[];
  /** Text in addition to the line in the list of commands. */
  details?: string;
  examples?: readonly string[];
  /**
   * Runs the command.
   *
   * @returns the exit code
   */
  run(session: Session, input: Input): Promise<number>;
}

/** Declares a command. The input of `run` has the types that its arguments and options declare. */
export function defineCommand<
  const Arguments extends readonly ArgumentSpec[] = [],
  const Options extends readonly OptionSpec[] = [],
>(
  command: Omit<Command, 'arguments' | 'options' | 'run'> & {
    arguments?: Arguments;
    options?: Options;
    run(session: Session, input: Input<ArgsOf<Arguments>, FlagsOf<Options>>): Promise<number>;
  },
): Command {
  // The parser returns the declared types: both read the declaration.
  return command as Command;
}

/** Options that every command takes. */
export const COMMON = [
  { flags: '--json', about: 'print one JSON document and nothing else' },
  { flags: '--yaml', about: 'print the same document as YAML' },
  { flags: '--workspace <name>', about: 'act in this workspace (default: see `provisioning workspace show`)' },
  {
    flags: '--context <name>',
    about: 'ask the server of this context; `local` for the engine of this machine (default: see `provisioning context show`)',
  },
  { flags: '--env <name>', about: 'use the settings, overlays and values of this environment (default: PROVISIONING_ENV)' },
  { flags: '--verbose', about: 'print more detail about errors; with --json and --yaml, progress on standard error' },
] as const satisfies readonly OptionSpec[];

export type CommonFlags = FlagsOf<typeof COMMON>;

/** Option for the infra of a command, if no definition determines it. */
export const INFRA = {
  flags: '--infra <name>',
  about: 'infra (default: the only one)',
} as const satisfies OptionSpec;
const FILE = {
  flags: '--file <file>',
  about: 'definition file, instead of the last applied definition',
} as const satisfies OptionSpec;

/** Options of commands that read a definition file. */
export const DEFINITION_INPUT = [
  { flags: '--var <name=value>', about: 'value for a variable of the definition; can be repeated', repeated: true },
  { flags: '--var-file <file>', about: 'file with values of variables; can be repeated', repeated: true },
] as const satisfies readonly OptionSpec[];

/** Option of commands that must not choose versions automatically. */
export const FROZEN_LOCK = {
  flags: '--frozen-lock',
  about: 'fail if the lock file (provisioning.lock) would change or lacks a version',
} as const satisfies OptionSpec;

/** Option of commands that may destroy resources. */
export const ALLOW_DESTROY = {
  flags: '--allow-destroy',
  about: 'allow replacing or deleting servers and volumes, and abandoning data',
} as const satisfies OptionSpec;

/**
 * Like `--allow-destroy`, but only for named servers. A separate option, because a name after `--allow-destroy` could
 * be the command's file.
 */
const ALLOW_DESTROY_OF = {
  flags: '--allow-destroy-of <server>',
  about: 'like --allow-destroy, but only for this server of the preview; can be repeated',
  repeated: true,
} as const satisfies OptionSpec;

/** Options of commands that start an operation without destruction. */
export const HARMLESS = [
  { flags: '--check', about: 'show the steps that would run, and stop' },
  { flags: '--yes', about: 'skip the confirmation' },
  { flags: '--diff', about: 'include a line-by-line difference of files in the preview' },
  // It comes before `--no-wait`: otherwise commander assumes that it is given.
  { flags: '--wait', about: 'follow the operation to its end (default)' },
  { flags: '--no-wait', about: 'return as soon as the operation has started' },
  { flags: '--queue', about: 'if no worker is running, queue the operation instead of failing' },
  {
    flags: '--on-failure <policy>',
    about: 'policy after a failure (default: the policy of the definition, otherwise rollback)',
    choices: ['rollback', 'rollback-service', 'keep', 'ask'],
  },
  {
    flags: '--on-timeout <policy>',
    about: 'policy after a time-out (default: the policy of the definition, otherwise ask)',
    choices: ['ask', 'keep', 'rollback'],
  },
  {
    flags: '--priority <number>',
    about: 'priority in the queue, from 1 (highest) to 5 (default: 3)',
    choices: [1, 2, 3, 4, 5],
  },
  {
    flags: '--approve <point>',
    about: 'wait for `workflow approve` before acting, in addition to the approvals of the definition',
    choices: ['before-change', 'before-destroy'],
  },
] as const satisfies readonly OptionSpec[];

const [CHECK, YES, ...HOW] = HARMLESS;
/** Option of commands with a preview, for scripts. */
const DETAILED = {
  flags: '--detailed-exitcode',
  about: 'with --check or --plan-out: exit with code 7 if steps would run, and with 0 only if there is nothing to do',
} as const satisfies OptionSpec;
/** Options of commands that start an operation. */
export const OPERATION = [CHECK, YES, ALLOW_DESTROY, ALLOW_DESTROY_OF, DETAILED, ...HOW] as const satisfies readonly OptionSpec[];

/** Option of commands that can be planned now and run later. */
export const PLAN_OUT = {
  flags: '--plan-out <file>',
  about: 'save the plan to a file without running it: `apply FILE` runs exactly this plan',
} as const satisfies OptionSpec;

/** Options for changes of running servers. They override the definition. */
export const UPDATE = [
  {
    flags: '--strategy <name>',
    about: 'change running servers in waves, or all at once (default: the strategy of the definition, otherwise rolling)',
    choices: ['rolling', 'all-at-once'],
  },
  {
    flags: '--batch-size <share>',
    about: 'servers per role in a wave, such as 2 or 25% (default: the value in the definition, otherwise 25%)',
    share: true,
  },
  {
    flags: '--max-unavailable <share>',
    about: 'servers per role that may be out of service together, such as 2 or 25% (default: the size of a wave)',
    share: true,
  },
  { flags: '--pause-on-failure', about: 'wait for a person after a failure, and leave the remaining servers unchanged' },
] as const satisfies readonly OptionSpec[];

/** Options for the new input of a retry. */
export const NEW_INPUT = [
  { flags: '--file <file>', about: 'continue with this definition for the remaining steps' },
  { flags: '--set <changes>', about: 'change a configuration: SERVER/TASKSERV.KEY=VALUE, comma-separated' },
  ...DEFINITION_INPUT,
] as const satisfies readonly OptionSpec[];

/** Options for the scope of a secret, if it is not for the whole workspace. */
export const SECRET_SCOPE = [
  { flags: '--infra <name>', about: 'only for this infra (default: for the whole workspace)' },
  { flags: '--shared', about: 'for all workspaces' },
] as const satisfies readonly OptionSpec[];

export const FRESH = {
  flags: '--fresh',
  about: "query the provider even if today's answer is cached",
} as const satisfies OptionSpec;

/** Options of operations that narrow a definition. */
export const NARROW_OPTIONS = [...OPERATION, PLAN_OUT, INFRA, FILE, ...DEFINITION_INPUT] as const satisfies readonly OptionSpec[];
