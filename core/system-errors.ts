import { type ErrorDetails, messageOf } from './errors.js';

interface SystemError {
  code?: string;
  syscall?: string;
  path?: string;
}

type Found = Pick<ErrorDetails, 'code' | 'blame' | 'why' | 'hint' | 'absent'>;

const full: Found = {
  code: 'disk-full',
  blame: 'user',
  absent: true,
  why: 'the disk, or the quota of this user, is full',
  hint: 'make room (`df -h`, `df -i`), then run it again',
};
const denied: Found = {
  code: 'not-accessible',
  blame: 'user',
  why: 'this user has no permission for this',
  hint: 'check owner and modes of the path and its parent folders; PROVISIONING_HOME sets another home',
};
const path = (why: string): Found => ({
  code: 'bad-path',
  blame: 'user',
  why,
  hint: 'check the path; PROVISIONING_HOME sets another home',
});
/** Node's error for a folder on a read-only disk that is created with its parents. */
const noFolder: Found = {
  ...denied,
  code: 'read-only',
  why: 'no folder can be created there, for example because the file system is read-only',
  hint: 'make it writable; PROVISIONING_HOME sets another home',
};
const files: Found = {
  code: 'too-many-files',
  blame: 'user',
  absent: true,
  why: 'too many files are open',
  hint: 'raise the limit of open files (`ulimit -n`)',
};

const FOUND: Readonly<Record<string, Found>> = {
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: full,
  EACCES: denied,
  EPERM: denied,
  EROFS: {
    ...denied,
    code: 'read-only',
    why: 'the file system is read-only',
    hint: 'make it writable; PROVISIONING_HOME sets another home',
  },
  ENOTDIR: path('something in the path is no directory'),
  EISDIR: path('it is a directory'),
  ELOOP: path('symbolic links lead in a circle'),
  ENAMETOOLONG: path('the path is too long for this machine'),
  EMFILE: files,
  ENFILE: files,
};

/**
 * Explains an error of the operating system about files to a person. Undefined for any other error, also for those of
 * sockets and of started programs.
 *
 * @param home folder of the platform's own files, which is meant if the error has no path
 */
export function systemError(error: unknown, home: string): ErrorDetails | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, path: at } = error as SystemError;
  const found = code === 'ENOENT' && syscall === 'mkdir' ? noFolder : Object.hasOwn(FOUND, code) ? FOUND[code] : undefined;
  if (!found || syscall === undefined || /^(spawn|connect|listen|bind|getaddrinfo)/.test(syscall)) return undefined;
  return { ...found, what: `use a file (${syscall})`, on: at ?? home, why: found.why || messageOf(error) };
}
