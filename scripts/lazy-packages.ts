import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Makes named imports of `const { parse } = await import('yaml')` work if the package is CommonJS and bundled. Node
 * finds the names by reading the source. esbuild 0.28 gives a lazily imported CommonJS module only a default export.
 */
export function lazyPackages(external: readonly string[]): Plugin {
  const isExternal = (path: string) =>
    external.some((name) => path === name || path.startsWith(`${name.replace(/\*$/, '')}${name.endsWith('*') ? '' : '/'}`));
  return {
    name: 'lazy-packages',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path, kind, resolveDir }) =>
        kind === 'dynamic-import' && !isBuiltin(path) && !isExternal(path)
          ? { path, namespace: 'lazy', pluginData: { resolveDir } }
          : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'lazy' }, async ({ path, pluginData }) => {
        const names = Object.keys(await import(path)).filter((name) => name !== 'module.exports');
        return { contents: `export { ${names.join(', ')} } from ${JSON.stringify(path)};`, resolveDir: pluginData.resolveDir };
      });
    },
  };
}
