import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { childEnvironment } from '../../core/machine/child-environment.js';
import type { Problem } from '../source/problem.js';
import { scriptApart } from './apart.js';
import { type Program, problemIn } from './evaluation.js';
import { type LimitedRun, type RunResult, runLimited } from './run-limited.js';

/** A program of the system that evaluates what a stranger may have written. */
interface Apart {
  /** Its name on PATH. */
  name: string;
  args: readonly string[];
  cwd: string;
  env?: Readonly<Record<string, string>>;
  seconds: number;
  /** A private folder, which the program sees. */
  folder: string;
  program: Pick<Program, 'file' | 'root' | 'given'>;
}

/** How it ended, and what could not be kept from it. */
type RanApart = { ran: Exclude<RunResult, { kind: 'absent' }>; warnings: Problem[] } | 'absent' | Problem[];

/** Ways to go on, from the one that keeps most from the program to the one that keeps nothing. */
const WAYS = [
  { unshare: ['--mount', '--net'], keeps: 'files' },
  { unshare: ['--user', '--map-root-user', '--mount', '--net'], keeps: 'files' },
  { unshare: ['--net'], keeps: 'network' },
  { unshare: ['--user', '--map-current-user', '--net'], keeps: 'network' },
  { unshare: undefined, keeps: 'nothing' },
] as const;

/** Says that the program is next, and goes on with it. */
const GO_ON = 'echo >&3; exec "$@" 3>&-';

/** The first way that this process has not found closed. */
let first = 0;

/**
 * Runs a program within limits and without network. It can read only the programs of the system and its workspace.
 * Protections that the kernel does not allow are omitted with a warning. Faults of the program do not throw.
 */
export async function runApart({
  name,
  args,
  cwd,
  env = {},
  seconds,
  folder,
  program: { file, root, given },
}: Apart): Promise<RanApart> {
  const own = childEnvironment(process.env, env);
  const found = await onPath(name, own.PATH);
  if (found === undefined) return 'absent';
  const program = await realpath(found);
  const script = await scriptApart({ folder: await realpath(folder), program, root, cwd, home: own.HOME, folders: given.folders });
  for (const [index, { unshare, keeps }] of WAYS.entries()) {
    const isApart = keeps === 'files';
    if (index < first || (isApart && script === undefined)) continue;
    // A program may ask by which name it was found: its link is not there when it is apart.
    const limited: LimitedRun = {
      ...{ program: isApart ? program : found, args, cwd, seconds },
      env: isApart ? { ...own, TMPDIR: '/tmp' } : own,
    };
    let isReady = unshare === undefined;
    const ready = () => {
      isReady = true;
    };
    const through = unshare && ['unshare', ...unshare, '--', '/bin/sh', '-c', isApart ? (script ?? '') : GO_ON, 'sh'];
    const ran = await runLimited({ ...limited, ...(through && { through, ready }) });
    if (!isReady && ran.kind !== 'too-much') continue;
    if (script !== undefined) first = index;
    if (ran.kind === 'absent') return isApart ? [notApart(file, name, ran.errors)] : 'absent';
    return { ran, warnings: isApart ? [] : [warningOf(file, name, keeps)] };
  }
  return 'absent';
}

/** A program that needs files of its own, as one that a shell script in the home starts. */
function notApart(file: string, name: string, errors: string): Problem {
  const said = errors.trim().split('\n').at(-1) ?? '';
  return problemIn(
    file,
    `"${name}" does not start in a sandbox with only the system and the workspace: ${said}`,
    {},
    'provisioning config set languages.folders FOLDER,… with the folders of its installation',
  );
}

const warningOf = (file: string, name: string, keeps: 'network' | 'nothing'): Problem =>
  problemIn(
    file,
    `"${name}" can read every file that you can read${keeps === 'nothing' ? ' and use the network' : ''}: this system does not allow the namespaces of a sandbox`,
    {},
    'only evaluate files that you trust',
  );

/**
 * Finds the program of a name. Relative folders in PATH are skipped, because the current folder may be a stranger's.
 */
async function onPath(name: string, path = ''): Promise<string | undefined> {
  for (const folder of path.split(':').filter(isAbsolute)) {
    const file = join(folder, name);
    const isProgram = await access(file, constants.X_OK).then(
      async () => (await stat(file)).isFile(),
      () => false,
    );
    if (isProgram) return file;
  }
  return undefined;
}
