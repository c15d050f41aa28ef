import { playSmallest } from './play-smallest.js';

await playSmallest('plan', { env: { RUNS: '1', SIZES: '20,40' } });
