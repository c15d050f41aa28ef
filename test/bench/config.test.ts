import { playSmallest } from './play-smallest.js';

await playSmallest('config', { env: { TIMES: '2', RUNS: '1' } });
