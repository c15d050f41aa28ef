import type { OnFailure } from '../core/definition/definition.js';
import type { Share, UpdatePolicy } from '../core/operation/rolling.js';
import type { Session } from './session.js';

/** All options of all commands; which of them a command takes, it says itself. */
export interface Flags {
  json?: boolean;
  verbose?: boolean;
  workspace?: string;
  check?: boolean;
  yes?: boolean;
  /** `server forget-key`: the jump host's. */
  jump?: boolean;
  allowDestroy?: boolean;
  wait?: boolean;
  queue?: boolean;
  onFailure?: OnFailure;
  strategy?: UpdatePolicy['strategy'];
  batchSize?: Share;
  maxUnavailable?: Share;
  pauseOnFailure?: boolean;
  infra?: string;
  file?: string;
  server?: string;
  role?: string;
  taskserv?: string;
  available?: boolean;
  lines?: number;
  limit?: number;
  local?: boolean;
  rebuild?: boolean;
  allowThisHost?: boolean;
  remove?: boolean;
  worker?: boolean;
  supervisor?: boolean;
  installService?: boolean;
  uninstallService?: boolean;
  parallel?: number;
  priority?: string;
  operations?: boolean;
  state?: string;
  from?: number;
  why?: string;
  branch?: boolean;
  reason?: string;
  force?: boolean;
  reject?: boolean;
  set?: string;
  approve?: string;
  batch?: boolean;
  port?: number;
  open?: boolean;
  profile?: string;
  percent?: number;
  provider?: string;
  zone?: string;
  name?: string;
  fresh?: boolean;
  record?: boolean;
  shared?: boolean;
  login?: string;
  identity?: string;
}

/** An option as data. */
export interface OptionSpec {
  /** As commander reads it: `--server <names>`. */
  flags: string;
  about: string;
  choices?: readonly string[];
  /** A whole number, at least 1. */
  number?: boolean;
  /** A whole number, at least 1, or a share such as `25%`. */
  share?: boolean;
}

export interface Input {
  args: string[];
  flags: Flags;
  /** What follows `--`. */
  rest: string[];
}

/** A command: data, and a `run` that parses, calls the client and renders. */
export interface Command {
  /** `<file>`, `[name]`, `<names...>`, each with what it is. */
  arguments?: readonly (readonly [syntax: string, about: string])[];
  options?: readonly OptionSpec[];
  /** More than its one line in the list of commands. */
  details?: string;
  examples?: readonly string[];
  /** @returns the exit code */
  run(session: Session, input: Input): Promise<number>;
}

/** Options that every command takes. */
export const COMMON: readonly OptionSpec[] = [
  { flags: '--json', about: 'print one JSON document and nothing else' },
  { flags: '--workspace <name>', about: 'act in this workspace (default: PROVISIONING_WORKSPACE, or "default")' },
  { flags: '--verbose', about: 'say more when something goes wrong; with --json, progress on standard error' },
];

/** Which infra a command is about, where it is not said by the definition. */
export const INFRA: OptionSpec = { flags: '--infra <name>', about: 'the infra; may be left out when there is only one' };
const FILE: OptionSpec = { flags: '--file <file>', about: "a definition file in the place of the infra's last applied one" };

/** Of what may destroy something. */
export const ALLOW_DESTROY: OptionSpec = { flags: '--allow-destroy', about: 'let it replace or delete servers and volumes' };

/** Options of what starts an operation. */
export const OPERATION: readonly OptionSpec[] = [
  { flags: '--check', about: 'show the very steps that would run, and stop' },
  { flags: '--yes', about: 'do not ask' },
  ALLOW_DESTROY,
  { flags: '--no-wait', about: 'return as soon as the operation is started' },
  { flags: '--wait', about: 'follow it to its end (the default)' },
  { flags: '--queue', about: 'where no worker runs, keep it for the next one instead of refusing it' },
  {
    flags: '--on-failure <policy>',
    about: 'after a failure (default: what the definition says, else rollback)',
    choices: ['rollback', 'keep', 'ask'],
  },
  {
    flags: '--priority <number>',
    about: 'its place in the queue, from 1, the most urgent, to 5 (default: 3)',
    choices: ['1', '2', '3', '4', '5'],
  },
  {
    flags: '--approve <point>',
    about: 'wait for `workflow approve` once it is decided, besides where the definition says so',
    choices: ['before-change', 'before-destroy'],
  },
];

/** How changes reach servers that serve already, over what the definition says. */
export const UPDATE: readonly OptionSpec[] = [
  {
    flags: '--strategy <name>',
    about: 'change servers that serve already in batches, or all at once (default: what the definition says, else rolling)',
    choices: ['rolling', 'all-at-once'],
  },
  {
    flags: '--batch-size <share>',
    about: 'how many servers of a role are changed together, 2 or 25% (default: what the definition says, else 25%)',
    share: true,
  },
  {
    flags: '--max-unavailable <share>',
    about: 'how many servers of a role may be out of service at a time, 2 or 25% (default: as many as a batch has)',
    share: true,
  },
  { flags: '--pause-on-failure', about: 'wait for a person after a failure, with the rest untouched' },
];

/** Options by which a retry gets other input. */
export const NEW_INPUT: readonly OptionSpec[] = [
  { flags: '--file <file>', about: 'go on with this definition, for what is not done yet' },
  { flags: '--set <changes>', about: 'change a configuration: SERVER/TASKSERV.KEY=VALUE, several comma-separated' },
];

/** For whom a secret is, where it is not for the whole workspace. */
export const SECRET_SCOPE: readonly OptionSpec[] = [
  { flags: '--infra <name>', about: 'for this infra alone (default: for all of the workspace)' },
  { flags: '--shared', about: 'for all workspaces' },
];

export const FRESH: OptionSpec = { flags: '--fresh', about: 'ask the provider, also where an answer of today is kept' };

/** Options of operations that narrow a definition. */
export const NARROWED: readonly OptionSpec[] = [...OPERATION, INFRA, FILE];
