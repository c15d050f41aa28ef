import { spawn } from 'node:child_process';
import { LIMITS, sizeText } from '../../core/limits.js';
import { SourceFault } from './source-fault.js';

/** Milliseconds that Git may take for one question, or one fetch. */
const LIMIT_MS = 120_000;
/** What neither a template of the user's nor a repository may have run here. */
const SAFE = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.attributesFile=/dev/null',
  '-c',
  'gc.auto=0',
];
/** Variables that make it work in another repository, or with the objects or settings of another one. */
const OTHER_REPOSITORY =
  /^GIT_(?:DIR|COMMON_DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|ATTR_SOURCE|CONFIG|TEMPLATE_DIR|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH|EXTERNAL_DIFF)$/;

type Env = Readonly<Record<string, string | undefined>>;

/** How Git ended. */
export interface GitResult {
  exit: number;
  stdout: Buffer;
  stderr: string;
}

/** How Git is run: always in a repository that we made, whose configuration is ours. */
export interface GitRun {
  /** The repository, a bare one. */
  repository: string;
  args: readonly string[];
  stdin?: string;
}

/**
 * Runs the Git of this machine against a server, with the user's own settings, credentials and keys. It asks nobody: a
 * password that nobody gave and a host key that nobody confirmed are errors. The folder that the user is in has no say.
 *
 * @param protocols those that it may use, with colons between them
 * @throws SourceFault without Git, if it takes too long, or answers too much
 */
export function remoteGit(env: Env, protocols: string, run: GitRun): Promise<GitResult> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !OTHER_REPOSITORY.test(name)));
  return runGit(run, {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=15',
    ...own,
    GIT_ASKPASS: own.GIT_ASKPASS ?? 'true',
    GIT_ALLOW_PROTOCOL: protocols,
  });
}

/**
 * Runs Git on what our repository has: without settings of the user or of the machine, and without any way to a server. So
 * attributes of a stranger's commit find no program to run.
 *
 * @throws SourceFault without Git, if it takes too long, or answers too much
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

async function runGit({ repository, args, stdin = '' }: GitRun, env: Env): Promise<GitResult> {
  const child = spawn('git', [...SAFE, ...args], {
    cwd: repository,
    env: { ...env, GIT_DIR: repository, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const out: Buffer[] = [];
  let size = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LIMITS.sourceFiles) child.kill();
    else out.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-8_192);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT';
      reject(isMissing ? new SourceFault('Git is not installed here', 'apt install git') : error);
    });
    child.once('close', (exit, signal) => {
      if (size > LIMITS.sourceFiles) reject(new SourceFault(`it is larger than ${sizeText(LIMITS.sourceFiles)}`, SMALLER));
      else if (signal) reject(new SourceFault(`Git did not end within ${LIMIT_MS / 1000} s`));
      else resolve({ exit: exit ?? 1, stdout: Buffer.concat(out), stderr });
    });
  });
}

/** What helps where a source is too large. */
export const SMALLER =
  'leave out what the build makes or fetches: in .gitignore for a directory, as export-ignore in .gitattributes for a commit';

/** What Git could not do, in our words. */
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
    (url) => `${url} is not a Git repository, or none that you may see`,
    () => undefined,
  ],
];

const sshTarget = (url: string): string => /^(?:ssh:\/\/)?([^:/]+)/.exec(url)?.[1] ?? url;
