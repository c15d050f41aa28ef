import { lanesOf, takeLane } from './lanes.js';
import { restoreEnvironment } from './restore-environment.js';

/**
 * Set-up file of the rooms whose files wait for a lane (vitest.config.ts). It runs before each file, also if the process
 * has played other files. Vitest gives the lowest free number to the next process.
 */
restoreEnvironment();
await takeLane(Number(process.env.VITEST_POOL_ID ?? 1), lanesOf());
