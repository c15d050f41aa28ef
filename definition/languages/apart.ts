import { realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quote } from '../../core/host/shell.js';
import { LIMITS } from '../../core/limits.js';
import { isInside } from '../source/is-inside.js';

/** File system that a program sees beside its workspace. */
export interface View {
  /** A private folder of the host, which it sees as well. */
  folder: string;
  /** The program itself, without links. */
  program: string;
  /** The folder of the workspace, without links. */
  root: string;
  cwd: string;
  /** Its own home, which is empty there. */
  home?: string;
  /** Further folders that the operator allows, such as the folder of an interpreter. */
  folders?: readonly string[];
}

/** Programs and libraries of the system, on Debian and where packages lie in a store. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew'],
];
/** The cache of the dynamic loader, links to alternative programs, and devices without content. */
const SYSTEM_FILES = ['/etc/ld.so.cache', '/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'];
const SYSTEM_LINKS = ['/etc/alternatives'];

/** A visible folder or file: its path outside and inside. */
interface Seen {
  path: string;
  isFile: boolean;
  /** Nothing of it is executed. */
  isData: boolean;
}

/**
 * Writes the mount table into the private folder, and returns the script that runs `"$@"` in a root of its own. That
 * root has the programs of the system, the workspace and the private folder, all read-only. It runs in a new mount
 * namespace, and writes a line to descriptor 3 right before the program.
 *
 * @returns undefined if the workspace is the whole file system
 */
export async function scriptApart(view: View): Promise<string | undefined> {
  const { folder, program, root, cwd, home, folders = [] } = view;
  if (root === '/') return undefined;
  const data = (path: string): Seen => ({ path, isFile: false, isData: true });
  const folderOf = (path: string): Seen => ({ path, isFile: false, isData: false });
  const file = (path: string): Seen => ({ path, isFile: true, isData: false });
  const optional = [...[...SYSTEM, ...SYSTEM_LINKS].map(folderOf), ...SYSTEM_FILES.map(file)];
  const there = await Promise.all(optional.map(async (one) => ((await isThere(one)) ? [one] : [])));
  const allowed = await Promise.all(
    folders.map(async (path) => ((await isThere(folderOf(path))) ? [folderOf(path), folderOf(await realpath(path))] : [])),
  );
  const all = [...there.flat(), ...allowed.flat(), data(root), data(folder), file(program)];
  // A folder inside another visible folder is visible with it. If a folder has two names, both are kept.
  const seen = [...new Map(all.map((one) => [one.path, one])).values()].filter(
    ({ path }) => !all.some((other) => other.path !== path && !other.isFile && isInside(path, other.path)),
  );
  const top = join(folder, 'root');
  const table = join(folder, 'mounts');
  const lines = [...seen, PROC].map(({ path, isFile, isData }) =>
    [
      path,
      join(top, path),
      'none',
      `${isFile ? 'bind' : 'rbind'},ro,nosuid${isDevice(path) ? '' : ',nodev'}${isData ? ',noexec' : ''}`,
      '0',
      '0',
    ]
      .map(fieldOf)
      .join(' '),
  );
  await writeFile(table, `${lines.join('\n')}\n`);
  const made = [
    ...seen.map(({ path, isFile }) => (isFile ? dirname(path) : path)),
    '/proc',
    '/tmp',
    '/.before',
    ...(home?.startsWith('/') ? [home] : []),
  ];
  const isMade = (path: string) => !seen.some((one) => !one.isFile && path !== one.path && isInside(path, one.path));
  const inTop = (paths: readonly string[]) => paths.map((path) => quote(join(top, path))).join(' ');
  return [
    'set -e',
    'PATH=$PATH:/usr/sbin:/sbin',
    'command -v setpriv >/dev/null',
    `mkdir -p ${quote(top)}`,
    `mount -n -t tmpfs -o mode=755,nosuid,nodev,size=${LIMITS.evaluationMemory} tmpfs ${quote(top)}`,
    `mkdir -p ${inTop([...new Set(made)].filter(isMade))}`,
    ...seen.filter(({ isFile }) => isFile).map(({ path }) => `: >${inTop([path])}`),
    `mount -n -a -T ${quote(table)}`,
    `cd ${quote(top)}`,
    'pivot_root . .before',
    'cd /',
    // The command reads in /proc what is mounted, so that goes last.
    'umount -n -l /.before /proc',
    `cd ${quote(cwd)}`,
    'echo >&3',
    // Root reads what others own, and has no other right of root.
    'exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+dac_read_search -- "$@" 3>&-',
  ].join('\n');
}

const PROC: Seen = { path: '/proc', isFile: false, isData: true };

const isDevice = (path: string): boolean => path.startsWith('/dev/');

const isThere = ({ path, isFile }: Seen): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory() !== isFile,
    () => false,
  );

/** Field of a mount table, with spaces and other special characters as octal numbers. */
const fieldOf = (text: string): string =>
  text.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
