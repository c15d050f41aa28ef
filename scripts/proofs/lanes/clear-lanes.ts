import { lanesOf } from './lanes.js';

/**
 * Global set-up of the rooms whose files run in separate processes (vitest.config.ts). Removes their lanes at the end.
 */
export const teardown = (): Promise<void> => lanesOf(process.pid).clear();
