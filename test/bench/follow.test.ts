import { playSmallest } from './play-smallest.js';

await playSmallest('follow', { env: { SERVERS: '2', LOOKS: '2' } });
