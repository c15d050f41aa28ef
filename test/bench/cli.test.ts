import { playSmallest } from './play-smallest.js';

await playSmallest('cli', { env: { RUNS: '1', MODULES: '2' } });
