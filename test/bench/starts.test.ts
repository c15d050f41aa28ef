import { playSmallest } from './play-smallest.js';

await playSmallest('starts', { env: { RUNS: '1', SIZES: '0,2' } });
