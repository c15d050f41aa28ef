import { playSmallest } from './play-smallest.js';

await playSmallest('batch', { env: { FEW: '2', MANY: '2', ENGINES: '1' } });
