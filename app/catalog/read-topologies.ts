import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bugError } from '../../core/errors.js';
import { packageRoot } from '../../definition/source/package-root.js';
import { readSource } from '../../definition/source/read-source.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Source } from '../../definition/source/source.js';
import type { ListedTopology } from '../schemas/topology.js';

const FOLDER = 'topologies';
const ENDING = '.yaml';

/** The topologies of the platform by their names, as a list shows them, each with its file. */
export async function readTopologies(): Promise<{ listed: ListedTopology; source: Source }[]> {
  const root = packageRoot();
  const within = await realpath(root);
  const names = (await readdir(join(root, FOLDER))).filter((name) => name.endsWith(ENDING)).sort();
  return Promise.all(
    names.map(async (file) => {
      const name = basename(file, ENDING);
      const source = await readSource(join(root, FOLDER, file), '', within);
      if ('message' in source || !isRecord(source.value) || typeof source.value.description !== 'string')
        throw bugError({ code: 'bad-answer', what: 'read the topology', on: name, why: 'the topology has problems' });
      const { description, unavailable } = source.value;
      return { listed: { name, description, ...(typeof unavailable === 'string' && { unavailable }) }, source };
    }),
  );
}
