import { lstat, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LIMITS } from '../../core/limits.js';
import { LOCK_FORM, lockFile } from '../../core/schema/versions/lock-file.js';
import { Findings } from '../source/findings.js';
import { isProgram } from '../source/formats.js';
import type { Path, Problem } from '../source/problem.js';
import { problemsOf } from '../source/read-source.js';
import { readText } from '../source/read-text.js';
import { isRecord } from '../source/salvage.js';
import { complaints } from '../source/schema-issues.js';
import { type Place, readYaml } from '../source/source.js';
import type { Infras } from './lock-text.js';

/** A lock file as it was read. It has no entries if the file is missing. */
export interface LockFile {
  path: string;
  infras: Infras;
  /** Place of a path in the file. */
  place(path: Path): Place;
  /** The folder in which it was searched, so no other folder can replace it later. */
  folder: FolderId;
}

/** Which folder it is, whatever it is called. */
export interface FolderId {
  dev: number;
  ino: number;
}

const AGAIN = 'take it from version control, or delete it and apply, which chooses the newest versions again';

/** Path of a definition's lock file. Each environment has its own. Undefined for a program. */
export const lockPathOf = (definition: string, environment?: string): string | undefined =>
  isProgram(definition)
    ? undefined
    : join(dirname(definition), environment === undefined ? 'provisioning.lock' : `provisioning.${environment}.lock`);

/** Reads a lock file, or says what is wrong with it: one problem. Follows no link in its place. */
export async function readLockFile(path: string): Promise<LockFile | Problem> {
  const { dev, ino } = await stat(dirname(path));
  const empty: LockFile = { path, infras: {}, place: () => ({ line: 1, column: 1 }), folder: { dev, ino } };
  const failed = (message: string, suggestion = AGAIN, place: Place = { line: 1, column: 1 }): Problem => ({
    ...{ file: path, line: place.line, column: place.column, path: '' },
    ...{ message, suggestion, code: 'bad-lock-file' },
  });
  const link = await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (link) return failed('it is a symbolic link, which is not followed', 'put the file itself there');
  const text = await readText(path, LIMITS.file, { links: false });
  if (typeof text !== 'string') {
    if (text.code === 'ENOENT') return empty;
    return failed(text.message, text.suggestion, { line: text.line, column: text.column });
  }
  const conflict = text.split('\n').findIndex((line) => /^(<{7}|={7}|>{7})( |$)/.test(line));
  if (conflict !== -1)
    return failed('it contains a merge conflict', 'resolve the conflict, or delete the file and apply', {
      line: conflict + 1,
      column: 1,
    });
  const source = readYaml(path, text);
  const findings = new Findings();
  const { value } = source;
  if (isRecord(value) && typeof value.lockfile === 'number' && value.lockfile > LOCK_FORM)
    return failed(
      `it has the form ${value.lockfile}, which a newer release writes`,
      'use that release',
      source.place(['lockfile'], 'value'),
    );
  if (source.faults.length === 0) findings.all.push(...complaints(lockFile, value));
  if (source.faults.length === 0 && isRecord(value) && value.lockfile === undefined)
    return failed('it is not a lock file of this platform', 'move it away, or delete it', source.place([], 'value'));
  const [first] = problemsOf(source, findings);
  if (first) return { ...first, suggestion: AGAIN, code: 'bad-lock-file' };
  const read = lockFile.parse(value);
  return { ...empty, infras: read.infras, place: (at) => source.place(at, 'value') };
}
