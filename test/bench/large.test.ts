import { playSmallest } from './play-smallest.js';

await playSmallest('large', { env: { SERVERS: '2' } });
