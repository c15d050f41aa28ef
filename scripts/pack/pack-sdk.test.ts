import { resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { THREAD_FILE } from '../../workers/start/worker-pack.js';
import { packSdk } from './pack-sdk.js';

test("Temporal's SDK is packed without webpack and without modules that find files beside themselves", async () => {
  const root = resolve(import.meta.dirname, '../..');
  const { metafile } = await build({
    stdin: {
      contents: "import { Worker, bundleWorkflowCode } from '@temporalio/worker'; export { Worker, bundleWorkflowCode };",
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: 'out',
    plugins: [packSdk(root)],
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  const inside = Object.keys(metafile.inputs);
  expect(inside.filter((path) => /node_modules\/(webpack|memfs|unionfs|source-map)\/|core-bridge\/common\.js/.test(path))).toEqual(
    [],
  );
  expect(inside).toContain('node_modules/@temporalio/worker/lib/worker.js');
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(outside).toEqual(
    expect.arrayContaining([
      THREAD_FILE,
      '@temporalio/worker>source-map',
      '@temporalio/worker>@temporalio/core-bridge/common',
      '@temporalio/worker/lib/workflow/bundler.js',
    ]),
  );
});
