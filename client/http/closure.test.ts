import { build } from 'esbuild';
import { expect, test } from 'vitest';

/**
 * Modules that the client of a server may load in addition to Node. None of them opens a store, a key or a connection
 * to Temporal.
 */
const PURE =
  /^(client\/(http\/|client\.ts|all-pages\.ts|connection-lost\.ts|lasting-client\.ts|shared-connection\.ts)|core\/|home\/(contexts\/|home\.ts)|app\/method-(names|places)\.generated\.ts)/;
const BUILT_IN = /^node:(crypto|fs|http|https|os|path|timers\/promises)$/;

/** Returns all modules that a file loads, and their external imports. */
async function closureOf(entry: string) {
  const { metafile } = await build({
    entryPoints: [entry],
    ...{ bundle: true, write: false, metafile: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'silent' },
  });
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  return { modules: Object.keys(metafile.inputs), outside: [...new Set(outside)].sort() };
}

test('the client of a server loads only what runs on any machine with Node', async () => {
  const { modules, outside } = await closureOf('client/http/connect-server.ts');
  expect(modules.filter((path) => !PURE.test(path))).toEqual([]);
  expect(outside.filter((name) => !BUILT_IN.test(name))).toEqual([]);
  expect(modules.length).toBeGreaterThan(10);
});

test('the check sees what the client of a socket loads', async () => {
  const { modules } = await closureOf('client/connect.ts');
  expect(modules.filter((path) => !PURE.test(path)).length).toBeGreaterThan(0);
});
