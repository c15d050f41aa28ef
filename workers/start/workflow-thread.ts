/** Thread of a packed worker, which runs its workflows. */
import { getEnvironmentData } from 'node:worker_threads';
import { readPack } from '../../cli/start/pack.js';
import { PACK_FILE, runWorkerPack, WORKER_PACK } from './worker-pack.js';

// The worker's own open file: a build may have replaced the pack since the worker began.
runWorkerPack(readPack(getEnvironmentData(PACK_FILE) as number, WORKER_PACK), __dirname, 'thread');
