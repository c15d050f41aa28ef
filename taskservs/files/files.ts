import {
  defineTaskserv,
  ensureNoOwnFiles,
  ensureOwnFiles,
  type Fact,
  fact,
  type OwnFilesFacts,
  ownFilesFacts,
  pairsFact,
  sh,
} from '../../sdk/index.js';
import { type FilesConfig, filesConfig, pathsOf } from './files-config.js';
import { type Taken, takeIn, takenFrom } from './host-state.js';
import { STATE, TAKEN } from './paths.js';
import { allWanted } from './wanted-files.js';

export type FilesFacts = OwnFilesFacts & {
  /** By entry, what its files were when they were last taken in, and by which units. */
  taken: Fact<Record<string, Taken>>;
  /** By entry, a hash of its files as they are. */
  now: Fact<Record<string, string>>;
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

/** Files and trees of one's own. */
export const files = defineTaskserv<FilesConfig, FilesFacts>({
  name: 'files',
  category: 'own-things',
  holds: [],
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
    ...ownFilesFacts(STATE, allWanted(config)),
    taken: fact(`cd ${TAKEN} && grep -H '' -- *`, ({ stdout }) => takenFrom(stdout), {}),
    now: nowFact(config),
  }),
  installed: ({ manifest }) => (manifest.exists ? '1' : undefined),
  plan: (config, found) => takeIn(config, found, ensureOwnFiles(STATE, allWanted(config), found)),
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
