import { playSmallest } from './play-smallest.js';

await playSmallest('services', { env: { RUNS: '1', FEW: '1', MANY: '2' }, onHosts: true });
