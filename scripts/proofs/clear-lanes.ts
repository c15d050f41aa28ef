import { lanesOf } from './lanes.js';

/** A global set-up of the rooms whose files have a process each (vitest.config.ts): at the end, nothing is left of their lanes. */
export const teardown = (): Promise<void> => lanesOf(process.pid).clear();
