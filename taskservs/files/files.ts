import {
  defineTaskserv,
  ensureNoOwnFiles,
  ensureOwnFiles,
  type FoundFacts,
  fact,
  type OwnFiles,
  ownFilesFacts,
  pairsFact,
  type Step,
  sh,
} from '../../sdk/index.js';
import { type FilesConfig, filesConfig, pathsOf } from './files-config.js';
import { type FilesFacts, parseTaken, takeIn } from './host-state.js';
import { STATE, TAKEN } from './paths.js';
import { allWanted } from './wanted-files.js';

/** Owner of a file whose number has no name on the host. */
const NAMELESS = 'UNKNOWN';

/** Fact with a line `NAME HASH` for each entry that units follow. A pipe instead of a file does not block it. */
const nowFact = (config: FilesConfig) => {
  const entries = Object.entries(config.files).filter(
    ([, { validate, restarts, reloads }]) => validate || restarts.length + reloads.length > 0,
  );
  const lines = entries.map(
    ([name, one]) => sh`echo ${name} $(timeout 5 sha256sum -- ${pathsOf(one)} 2>/dev/null | sha256sum | cut -c 1-64)`,
  );
  return pairsFact(lines.join('\n') || ':');
};

/**
 * Plans files, some of which belong to users or groups without a name on the host. The observed owner has a name if
 * the host knows one. An owner with the same number is the same owner.
 */
function byNumber(wanted: OwnFiles, found: FoundFacts<FilesFacts>): Step[] {
  const owners = new Map<string, string>();
  const files = wanted.files.map((one) => {
    const there = found[`file ${one.path}`];
    const ids = found.ids[one.path];
    if (!there?.exists || ids === undefined) return one;
    const owner = one.owner ?? (there.owner.includes(NAMELESS) ? ids : undefined);
    if (owner === undefined) return one;
    owners.set(one.path, owner);
    const parts = [there.owner.split(':'), ids.split(':')] as const;
    const isSame = owner.split(':').every((who, index) => parts[/^\d+$/.test(who) ? 1 : 0][index] === who);
    return isSame ? { ...one, owner: there.owner } : one;
  });
  return ensureOwnFiles(STATE, { ...wanted, files }, found).map((step) => {
    const owner = 'file' in step ? owners.get(step.file.path) : undefined;
    return 'file' in step && owner !== undefined ? { ...step, file: { ...step.file, owner } } : step;
  });
}

/** One process for all. */
const idsFact = (config: FilesConfig) => {
  const paths = Object.values(config.files).flatMap(pathsOf);
  const run = paths.length === 0 ? ':' : sh`timeout 5 stat -L -c ${'%u:%g %n'} -- ${paths} 2>/dev/null || true`;
  return fact<Record<string, string>>(
    run,
    ({ stdout }) =>
      Object.fromEntries(
        stdout.split('\n').flatMap((line) => {
          const [, ids, path] = /^(\d+:\d+) (.+)$/.exec(line) ?? [];
          return ids && path ? [[path, ids]] : [];
        }),
      ),
    {},
  );
};

/** Files and trees of one's own. */
export const files = defineTaskserv<FilesConfig, FilesFacts>({
  name: 'files',
  category: 'own-things',
  holds: [],
  description: 'Your own files and folders on a host, with the units that use them.',
  versions: { default: '1', supported: ['1'], source: 'own' },
  after: ['users', 'packages'],
  config: filesConfig,
  uses: () => [],
  follows: ({ after }) => after,
  exclusive: ({ files }) => ({
    files: Object.entries(files).flatMap(([name, one]) => pathsOf(one).map((path) => ({ path, at: ['files', name, 'path'] }))),
  }),
  facts: (config) => ({
    ...ownFilesFacts(STATE, allWanted(config)),
    taken: fact(`cd ${TAKEN} && grep -H '' -- *`, ({ stdout }) => parseTaken(stdout), {}),
    now: nowFact(config),
    ids: idsFact(config),
  }),
  installed: ({ manifest }) => (manifest.exists ? '1' : undefined),
  plan: (config, found) => takeIn(config, found, byNumber(allWanted(config), found)),
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
    return takeIn({ ...config, files: {} }, found, ensureNoOwnFiles(STATE, found));
  },
});
