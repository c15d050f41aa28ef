import {
  absentValue,
  defineTaskserv,
  ensureFile,
  type Fact,
  type Found,
  type FoundFile,
  fact,
  file,
  fingerprint,
  type Step,
  sh,
} from '../../sdk/index.js';
import { type FilesConfig, filesConfig, pathsOf } from './files-config.js';
import { drop, keep, type Taken, takeIn, takenFrom } from './host-state.js';
import { FORMER, MANIFEST, TAKEN } from './paths.js';
import { allFolders, allWanted, sha256Of, type Wanted } from './wanted-files.js';

export type FilesFacts = {
  /** What was written here: a path a line, folders with a slash at their end. */
  manifest: Fact<FoundFile>;
  /** Keys of the paths of which there was a file before, and is kept. */
  former: Fact<string[]>;
  /** By entry, what its files were when they were last taken in, and by which units. */
  taken: Fact<Record<string, Taken>>;
  /** By entry, a hash of its files as they are. */
  now: Fact<Record<string, string>>;
  /** Hashes of files that are no text, by their paths. */
  binaries: Fact<Record<string, string>>;
  /** Folders of trees that are there. */
  folders: Fact<string[]>;
  [file: `file ${string}`]: Fact<FoundFile>;
};

/** `NAME HASH`, a line for each entry that something follows from. A pipe in place of a file does not hold it up. */
const nowFact = (config: FilesConfig) => {
  const entries = Object.entries(config.files).filter(
    ([, { validate, restarts, reloads }]) => validate || restarts.length + reloads.length > 0,
  );
  const lines = entries.map(
    ([name, one]) => sh`echo ${name} $(timeout 5 sha256sum -- ${pathsOf(one)} 2>/dev/null | sha256sum | cut -c 1-64)`,
  );
  return pairsFact(lines.join('\n') || ':');
};

const pairsFact = (run: string) =>
  fact<Record<string, string>>(
    run,
    ({ stdout }) =>
      Object.fromEntries(
        stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
      ),
    {},
  );

/** By their keys, since a path may hold spaces. */
const binariesFact = (config: FilesConfig) =>
  pairsFact(
    allWanted(config)
      .filter(({ base64 }) => base64)
      .map(({ path }) => sh`echo ${fingerprint(path)} $(timeout 5 sha256sum <${path} 2>/dev/null | cut -c 1-64)`)
      .join('\n') || ':',
  );

const linesOf = ({ stdout }: { stdout: string }): string[] => stdout.split('\n').filter(Boolean);

const foundFile = (found: Found<FilesFacts>, path: string): FoundFile => found[`file ${path}`] ?? absentValue(file(path));

function isAsWanted(wanted: Wanted, found: Found<FilesFacts>): boolean {
  const there = foundFile(found, wanted.path);
  if (!wanted.base64) return there.is(wanted);
  const sameBytes = found.binaries[fingerprint(wanted.path)] === sha256Of(String(wanted.content));
  return there.exists && there.mode === wanted.mode && there.owner === wanted.owner && sameBytes;
}

function write(wanted: Wanted, found: Found<FilesFacts>): Step[] {
  const { path, ...file } = wanted;
  if (!wanted.base64) return ensureFile(foundFile(found, path), file);
  return isAsWanted(wanted, found) ? [] : [{ title: `Write ${path}`, file: { path, ...file } }];
}

const manifestText = (lines: Iterable<string>): string =>
  [...new Set(lines)]
    .sort()
    .map((line) => `${line}\n`)
    .join('');
const manifestFile = (content: string) => ({ content, mode: '0600' });

function plan(config: FilesConfig, found: Found<FilesFacts>): Step[] {
  const wanted = allWanted(config);
  const before = found.manifest.content.split('\n').filter(Boolean);
  const missing = allFolders(config).filter((folder) => !found.folders.includes(folder));
  const made = allFolders(config).filter((folder) => missing.includes(folder) || before.includes(`${folder}/`));
  const now = [...wanted.map(({ path }) => path), ...made.map((folder) => `${folder}/`)];
  const dropped = before.filter((line) => !now.includes(line));
  const files = wanted.flatMap((one) => write(one, found));
  const foreign = wanted.filter(({ path }) => !before.includes(path) && foundFile(found, path).exists);
  const work = [
    ...keep(foreign.map(({ path }) => path)),
    // Before the files, so that what was begun can be removed.
    ...ensureFile(found.manifest, manifestFile(manifestText([...before, ...now])), 'Note which files are written here'),
    ...missing.map((path): Step => ({ title: `Make the folder ${path}`, directory: { path } })),
    ...files,
    ...drop(dropped, found.former),
    ...(dropped.length > 0
      ? [{ title: 'Note which files are left', file: { path: MANIFEST, ...manifestFile(manifestText(now)) } }]
      : []),
  ];
  return takeIn(config, found, work);
}

/** Files and trees of one's own. */
export const files = defineTaskserv<FilesConfig, FilesFacts>({
  name: 'files',
  category: 'own-things',
  description: 'Files and folders of your own on a host, with what is to take them in.',
  versions: { default: '1', supported: ['1'], source: 'own' },
  after: ['users', 'packages'],
  config: filesConfig,
  uses: () => [],
  follows: ({ after }) => after,
  exclusive: ({ files }) => ({
    files: Object.entries(files).flatMap(([name, one]) => pathsOf(one).map((path) => ({ path, at: ['files', name, 'path'] }))),
  }),
  facts: (config) => ({
    manifest: file(MANIFEST),
    former: fact(`cd ${FORMER} && ls`, (output) => linesOf(output).flatMap((name) => /^(.+)\.file$/.exec(name)?.[1] ?? []), []),
    taken: fact(`cd ${TAKEN} && grep -H '' -- *`, ({ stdout }) => takenFrom(stdout), {}),
    now: nowFact(config),
    binaries: binariesFact(config),
    folders: fact(
      allFolders(config)
        .map((folder) => sh`[ -d ${folder} ] && echo ${folder}`)
        .join('\n') || ':',
      linesOf,
      [],
    ),
    ...Object.fromEntries(allWanted(config).map(({ path }) => [`file ${path}`, file(path)])),
  }),
  installed: ({ manifest }) => (manifest.exists ? '1' : undefined),
  plan,
  health: ({ files }) =>
    Object.entries(files).flatMap(([name, one]) => [
      { title: `the files of ${name} are there`, command: sh`stat -c %n -- ${pathsOf(one)} >/dev/null` },
      ...[...one.restarts, ...one.reloads].map((unit) => ({
        title: `${unit}, which takes in ${name}, has not failed`,
        command: sh`! systemctl is-failed -q ${unit}`,
      })),
    ]),
  remove(config, found) {
    if (!found.manifest.exists) return [];
    const lines = found.manifest.content.split('\n').filter(Boolean);
    const gone: Step[] = [...drop(lines, found.former), { title: `Remove ${MANIFEST}`, absent: { path: MANIFEST } }];
    return takeIn({ ...config, files: {} }, found, gone);
  },
});
