/**
 * Starts the worker: from compiled code for this Node, otherwise from its modules. The worker spends two thirds of its
 * start on modules that are found, read and compiled.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setEnvironmentData } from 'node:worker_threads';
import { openWorkerPack, PACK_FILE, runWorkerPack } from './worker-pack.js';

const pack = openWorkerPack(__dirname);
if (pack) {
  setEnvironmentData(PACK_FILE, pack.file);
  runWorkerPack(pack, __dirname, 'worker');
} else {
  import(pathToFileURL(join(__dirname, 'worker.js')).href).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
