import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * For code that runs where there is nothing of Node, and is kept with each definition that uses it: leaves out Node's own
 * modules, which only parts of the SDK ask for that no taskserv can use (what calls one fails), and the forty languages of
 * zod's messages but English.
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
