import { fingerprint } from '../../encoding/hash.js';
import { absentValue, type Fact, type FoundFacts, type FoundFile, fact, file } from '../../host/facts.js';
import { sh } from '../../host/shell.js';
import type { Step } from '../../host/step.js';
import { ensureFile } from '../plans.js';
import { drop, formerIn, keep } from './former-files.js';
import { type OwnFile, type OwnFiles, rightsOf, sha256OfBase64 } from './own-file.js';

/** Facts about a definition's own files. */
export type OwnFilesFacts = {
  /** Written files: a path a line, folders with a slash at their end. */
  manifest: Fact<FoundFile>;
  /** Keys of the paths that had a file before, which is kept. */
  former: Fact<string[]>;
  /** Hashes of files that are no text, by keys of their paths. */
  binaries: Fact<Record<string, string>>;
  /** Folders of trees that are there. */
  folders: Fact<string[]>;
  [file: `file ${string}`]: Fact<FoundFile>;
};

const manifestIn = (state: string): string => `${state}/written`;

/** @param state a folder that only root reads, where a taskserv notes what it wrote and keeps what it replaced */
export const ownFilesFacts = (state: string, { files, folders }: OwnFiles): OwnFilesFacts => ({
  manifest: file(manifestIn(state)),
  former: fact(
    `cd ${formerIn(state)} && ls`,
    (output) => linesOf(output).flatMap((name) => /^(.+)\.file$/.exec(name)?.[1] ?? []),
    [],
  ),
  binaries: binariesFact(files),
  folders: fact(folders.map((folder) => sh`[ -d ${folder} ] && echo ${folder}`).join('\n') || ':', linesOf, []),
  ...Object.fromEntries(files.map(({ path }) => [`file ${path}`, file(path)])),
});

/** Reads pairs, a line each: the first word, and the rest. */
export const pairsFact = (run: string) =>
  fact<Record<string, string>>(
    run,
    (output) =>
      Object.fromEntries(linesOf(output).map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)])),
    {},
  );

/** By key, because a path may have spaces. A pipe instead of a file does not block it. */
const binariesFact = (files: readonly OwnFile[]) =>
  pairsFact(
    files
      .filter(({ base64 }) => base64)
      .map(({ path }) => sh`echo ${fingerprint(path)} $(timeout 5 sha256sum -- ${path} 2>/dev/null | cut -c 1-64)`)
      .join('\n') || ':',
  );

const linesOf = ({ stdout }: { stdout: string }): string[] => stdout.split('\n').filter(Boolean);

const foundFile = (found: FoundFacts<OwnFilesFacts>, path: string): FoundFile => found[`file ${path}`] ?? absentValue(file(path));

function write(wanted: OwnFile, found: FoundFacts<OwnFilesFacts>): Step[] {
  const { path, content, base64 } = wanted;
  const there = foundFile(found, path);
  const rights = rightsOf(wanted, there);
  if (!base64) return ensureFile(there, { content, ...rights });
  const sameBytes = found.binaries[fingerprint(path)] === sha256OfBase64(String(content));
  const isAsWanted = there.exists && there.mode === rights.mode && there.owner === rights.owner && sameBytes;
  return isAsWanted ? [] : [{ title: `Write ${path}`, file: { path, content, ...rights, base64 } }];
}

const manifestText = (lines: Iterable<string>): string =>
  [...new Set(lines)]
    .sort()
    .map((line) => `${line}\n`)
    .join('');
const manifestFile = (content: string) => ({ content, mode: '0600' });

/**
 * Writes files that differ, and removes written files that are no longer wanted. The former file of a path is kept and
 * restored then. Files of others stay, with the folders that contain them.
 */
export function ensureOwnFiles(state: string, { files, folders }: OwnFiles, found: FoundFacts<OwnFilesFacts>): Step[] {
  const before = linesOf({ stdout: found.manifest.content });
  const missing = folders.filter((folder) => !found.folders.includes(folder));
  const made = folders.filter((folder) => missing.includes(folder) || before.includes(`${folder}/`));
  const now = [...files.map(({ path }) => path), ...made.map((folder) => `${folder}/`)];
  const dropped = before.filter((line) => !now.includes(line));
  const foreign = files.filter(({ path }) => !before.includes(path) && foundFile(found, path).exists);
  return [
    ...keep(
      state,
      foreign.map(({ path }) => path),
    ),
    // Before the files, so that what was begun can be removed.
    ...ensureFile(found.manifest, manifestFile(manifestText([...before, ...now])), 'Note which files are written here'),
    ...missing.map((path): Step => ({ title: `Make the folder ${path}`, directory: { path } })),
    ...files.flatMap((one) => write(one, found)),
    ...drop(state, dropped, found.former),
    ...(dropped.length > 0
      ? [{ title: 'Note which files are left', file: { path: manifestIn(state), ...manifestFile(manifestText(now)) } }]
      : []),
  ];
}

/** Removes all that was written here, restores what was there before, and forgets it. */
export function ensureNoOwnFiles(state: string, found: Pick<FoundFacts<OwnFilesFacts>, 'manifest' | 'former'>): Step[] {
  if (!found.manifest.exists) return [];
  const path = manifestIn(state);
  return [...drop(state, linesOf({ stdout: found.manifest.content }), found.former), { title: `Remove ${path}`, absent: { path } }];
}
