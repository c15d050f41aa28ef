import { playSmallest } from './play-smallest.js';

await playSmallest('streams', { env: { CLIENTS: '4', OPERATIONS: '2', MEASURE_S: '3', SERVERS: '1', STEP_MS: '1000' } });
