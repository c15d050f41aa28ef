import { playSmallest } from './play-smallest.js';

await playSmallest('queues', { env: { COUNT: '1', ROUNDS: '1' } });
