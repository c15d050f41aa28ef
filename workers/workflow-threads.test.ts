import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { makeFolder } from '../test/support/temporary-folder.js';

/** Computes for a tenth of a second under a limit of a fiftieth, as the SDK runs a turn of a workflow. */
const TURN = `
  const { createContext, Script } = require('node:vm');
  const turn = new Script('const end = now() + 100; while (now() < end); "whole"');
  let result;
  try {
    result = turn.runInContext(createContext({ now: Date.now }), { timeout: 20, displayErrors: true });
  } catch (error) {
    result = error.code;
  }
  require('node:worker_threads').parentPort.postMessage(result);`;

const resultIn = (execArgv: string[]) =>
  new Promise((resolve, reject) => new Worker(TURN, { eval: true, execArgv }).on('message', resolve).on('error', reject));

test('a turn of a workflow that takes long is not interrupted', async () => {
  const outfile = join(await makeFolder('threads'), 'workflow-threads.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'workflow-threads.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
  });
  expect(await resultIn([])).toBe('ERR_SCRIPT_EXECUTION_TIMEOUT');
  expect(await resultIn(['--require', outfile])).toBe('whole');
});
