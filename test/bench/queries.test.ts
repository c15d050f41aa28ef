import { playSmallest } from './play-smallest.js';

await playSmallest('queries', { env: { POLLS: '4', SERVERS: '5' } });
