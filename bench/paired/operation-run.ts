/**
 * Runs the turns of `bench:operation` on any checkout, with the same code. Arguments: folder of the checkout, runs.
 * Prints JSON.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Tools, takeTurns } from '../operation/turns.js';

const [root = '', runs = '9'] = process.argv.slice(2);
const PARTS = [
  'test/support/engine.ts',
  'test/support/definition.ts',
  'test/support/operations.ts',
  'bench/batch/bare.ts',
  'bench/batch/cpu.ts',
];
const parts = await Promise.all(PARTS.map((path) => import(pathToFileURL(join(root, path)).href)));
process.stdout.write(JSON.stringify(await takeTurns(Object.assign({}, ...parts) as Tools, Number(runs))));
