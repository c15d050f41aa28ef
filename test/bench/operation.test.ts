import { playSmallest } from './play-smallest.js';

await playSmallest('operation', { env: { RUNS: '1' } });
