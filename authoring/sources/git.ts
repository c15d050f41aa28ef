import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sizeText } from '../../core/limits.js';
import type { Budget } from './bounds.js';
import { type RunEnd, runBounded } from './run-bounded.js';
import { SourceFault } from './source-fault.js';

/** Options that prevent a user's template or a repository from running programs. */
const SAFE = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.attributesFile=/dev/null',
  '-c',
  'gc.auto=0',
  // A fetch stays one pack, whose size is limited.
  '-c',
  'fetch.unpackLimit=1',
  // A server must not name another address to fetch from.
  '-c',
  'fetch.uriProtocols=',
  '-c',
  'transfer.bundleURI=false',
  '-c',
  'credential.interactive=false',
];
/** Variables that select another repository, or its objects or settings. */
const OTHER_REPOSITORY =
  /^GIT_(?:DIR|COMMON_DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|ATTR_SOURCE|CONFIG|TEMPLATE_DIR|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|EXTERNAL_DIFF)$/;

type Env = Readonly<Record<string, string | undefined>>;

/** Result of a Git command. */
export interface GitResult {
  exit: number;
  stdout: Buffer;
  stderr: string;
}

/** Options of a Git command, which always runs in a repository that we created and configured. */
export interface GitRun {
  /** Path of the bare repository. */
  repository: string;
  args: readonly string[];
  stdin?: string;
  budget: Budget;
  /** Maximum bytes of the answer, if it is the archive. */
  answer?: number;
}

/**
 * Runs the local Git against a server, with the user's settings, credentials and keys. It never prompts: a missing
 * password or an unknown host key is an error. The user's current folder has no effect.
 *
 * @param protocols allowed protocols, with colons between them
 * @throws SourceFault without Git, or beyond the limits
 */
export function remoteGit(env: Env, protocols: string, run: GitRun): Promise<GitResult> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OTHER_REPOSITORY.test(name)));
  return runGit(run, {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=15',
    ...own,
    GIT_ASKPASS: own.GIT_ASKPASS ?? 'true',
    GCM_INTERACTIVE: 'never',
    GIT_ALLOW_PROTOCOL: protocols,
  });
}

/**
 * Runs Git on our own repository, without user or system settings and without network protocols. Attributes of an
 * untrusted commit therefore cannot start a program.
 *
 * @throws SourceFault without Git, or beyond the limits
 */
export function localGit(env: Env, run: GitRun): Promise<GitResult> {
  return runGit(run, {
    PATH: env.PATH,
    HOME: run.repository,
    XDG_CONFIG_HOME: run.repository,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  });
}

async function runGit(run: GitRun, env: Env): Promise<GitResult> {
  const { repository, args, stdin = '', budget } = run;
  const { bounds, until } = budget;
  const ended = await runBounded({
    program: 'git',
    args: [...SAFE, ...args],
    cwd: repository,
    env: { ...env, GIT_DIR: repository, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    stdin,
    ms: until - performance.now(),
    output: run.answer ?? bounds.answer,
    file: bounds.fetched,
    memory: bounds.memory,
  });
  const { exit, stdout, stderr } = ended;
  if (exit === 127) throw new SourceFault('Git is not installed here', 'apt install git');
  const fault = beyondBounds(run, ended);
  if (fault) throw fault;
  return { exit, stdout, stderr };
}

/** Returns the exceeded limit, if any. */
function beyondBounds({ repository, budget: { bounds }, answer }: GitRun, ended: RunEnd): SourceFault | undefined {
  const { exit, stderr, over } = ended;
  if (over === 'time')
    return new SourceFault(`Git did not finish within ${bounds.seconds} s, the limit for one source`, FROM_DIRECTORY);
  if (over === 'output' && answer !== undefined) return new SourceFault(`it is larger than ${sizeText(answer)}`, SMALLER);
  if (over === 'output')
    return new SourceFault(`the list of its files is larger than ${sizeText(bounds.answer)}, the limit for one source`, SMALLER);
  if (exit === 0) return undefined;
  if (hasFullFile(repository, bounds.fetched))
    return new SourceFault(`the server sends more than ${sizeText(bounds.fetched)}, the limit for one source`, FROM_DIRECTORY);
  if (/^fatal: Out of memory/m.test(stderr))
    return new SourceFault(`Git needs more than ${sizeText(bounds.memory)} of memory, the limit for one source`, FROM_DIRECTORY);
  return undefined;
}

/** Returns whether a pack of our repository has the maximum size. Git does not report that the limit stopped it. */
function hasFullFile(repository: string, most: number): boolean {
  const folder = join(repository, 'objects/pack');
  try {
    return readdirSync(folder).some((name) => statSync(join(folder, name)).size >= Math.floor(most / 512) * 512);
  } catch {
    return false;
  }
}

/** Hint for a repository that is too large or too slow to fetch. */
const FROM_DIRECTORY = 'clone it yourself, and deploy the checkout: source: { directory: PATH }';

/** Hint for a source that is too large. */
export const SMALLER =
  'leave out what the build makes or fetches: in .gitignore for a directory, as export-ignore in .gitattributes for a commit';

/** Converts a failure of Git to one of the project's errors. */
export function gitFault(url: string, { stderr }: GitResult): SourceFault {
  const said = stderr.replaceAll(/^(?:fatal|error|warning|remote): */gm, '').trim();
  for (const [pattern, message, hint] of FAULTS) if (pattern.test(stderr)) return new SourceFault(message(url), hint(url));
  return new SourceFault(
    `Git cannot read ${url}: ${said.split('\n').filter(Boolean).slice(-2).join('; ') || 'it does not say why'}`,
  );
}

const hostOf = (url: string): string => /^(?:ssh:\/\/)?(?:[^@/]*@)?([^:/]+)/.exec(url)?.[1] ?? url;

const FAULTS: [RegExp, (url: string) => string, (url: string) => string | undefined][] = [
  [
    /Host key verification failed|host key is known/i,
    (url) => `the host key of ${hostOf(url)} is not known here, or is another one than before`,
    (url) => `compare it with what its owner publishes, then: ssh -T ${/@/.test(url) ? '' : 'git@'}${sshTarget(url)}`,
  ],
  [
    /Permission denied|Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|error: 40[13]\b|access denied/i,
    (url) => `no access to ${url}`,
    () => 'Git on this machine has to be able to read it: a key in the SSH agent, or a credential helper',
  ],
  [
    /Could not resolve host(?:name)?|Connection (?:refused|timed out|closed)|Network is \w+able|No route to host|Failed to connect/i,
    (url) => `${hostOf(url.replace(/^https?:\/\//, ''))} cannot be reached from here`,
    () => undefined,
  ],
  [
    /dubious ownership/i,
    (url) => `the repository ${url} belongs to another user of this machine`,
    (url) => `where you trust it: git config --global --add safe.directory ${url}`,
  ],
  [
    /not appear to be a git repository|not a git repository|repository '?[^']*'? not found|info\/refs not valid|does not exist/i,
    (url) => `${url} is not a Git repository that you can read`,
    () => undefined,
  ],
];

const sshTarget = (url: string): string => /^(?:ssh:\/\/)?([^:/]+)/.exec(url)?.[1] ?? url;
