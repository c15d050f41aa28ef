import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Plugin for code that runs without Node and is stored with each definition that uses it. Leaves out Node's modules,
 * which only parts of the SDK that no taskserv can use import. Calls into them fail. Also leaves out all languages of
 * zod's messages except English.
 */
export const withoutNode: Plugin = {
  name: 'without-node',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'absent', sideEffects: false }));
    build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {};', loader: 'js' }));
    build.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};
