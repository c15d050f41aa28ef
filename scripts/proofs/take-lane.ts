import { lanesOf, takeLane } from './lanes.js';

/** A set-up file of the rooms whose files have a process each (vitest.config.ts). Vitest gives the lowest number that is free to the next process. */
await takeLane(Number(process.env.VITEST_POOL_ID ?? 1), lanesOf());
