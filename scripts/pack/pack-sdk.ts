import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';
import { OWNER_MARK } from '../../cli/start/pack.js';
import { THREAD_FILE } from '../../workers/start/worker-pack.js';

const SDK = '@temporalio/worker';

/** Modules of the SDK that a worker with a ready bundle of workflows never calls. They load webpack. */
const SELDOM = ['lib/workflow/bundler.js', 'lib/debug-replayer/index.js'].map((path) => `${SDK}/${path}`);

/** Modules that find files beside themselves. They are loaded from where the SDK finds them. */
const BESIDE_FILES = /^(source-map|@temporalio\/core-bridge\/common)$/;

/** Asks the SDK for the file of its threads. */
const FIND_THREAD = "require.resolve('./workflow-worker-thread')";

/**
 * Puts Temporal's SDK into a pack: what refers to files beside it, or is seldom called, stays outside.
 *
 * @param root folder of the repository
 */
export function packSdk(root: string): Plugin {
  const require = createRequire(`${root}/package.json`);
  const isBelow = (path: string, name: string) => path.endsWith(`/node_modules/${name}`);
  return {
    name: 'pack-sdk',
    setup(build) {
      build.onResolve({ filter: BESIDE_FILES }, ({ path }) => ({ path: `${SDK}${OWNER_MARK}${path}`, external: true }));
      build.onResolve({ filter: /^\.\/common$/ }, ({ importer }) =>
        isBelow(importer, '@temporalio/core-bridge/index.js')
          ? { path: `${SDK}${OWNER_MARK}@temporalio/core-bridge/common`, external: true }
          : undefined,
      );
      build.onLoad({ filter: /\/@temporalio\/worker\/lib\/(workflow\/bundler|debug-replayer\/index)\.js$/ }, ({ path }) => {
        const name = SELDOM.find((one) => isBelow(path, one));
        return name === undefined ? undefined : { contents: loadLater(name, Object.keys(require(name) as object)) };
      });
      build.onLoad({ filter: /\/@temporalio\/worker\/lib\/workflow\/threaded-vm\.js$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!text.includes(FIND_THREAD)) throw new Error(`${path} finds the file of its threads in another way`);
        return { contents: text.replace(FIND_THREAD, `require('${THREAD_FILE}')`) };
      });
      build.onResolve({ filter: new RegExp(`^${THREAD_FILE}$`) }, ({ path }) => ({ path, external: true }));
      build.onResolve({ filter: /^outside:/ }, ({ path }) => ({ path: path.slice('outside:'.length), external: true }));
    },
  };
}

/** Returns a module that loads another one when one of its names is used. */
const loadLater = (name: string, names: readonly string[]): string =>
  names
    .map((one) => `Object.defineProperty(exports, '${one}', { enumerable: true, get: () => require('outside:${name}').${one} });`)
    .join('\n');
