import { lanesOf, takeLane } from './lanes.js';

/**
 * Set-up file of the rooms whose files run in separate processes (vitest.config.ts). Vitest gives the lowest free
 * number to the next process.
 */
await takeLane(Number(process.env.VITEST_POOL_ID ?? 1), lanesOf());
