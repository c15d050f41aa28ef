import { readSetting } from '../../../settings/settings.js';

const MIB = 1024 * 1024;

/** Returns the size from which on a log is rotated, in bytes, by the resolved environment. */
export const logBytesIn = (env: NodeJS.ProcessEnv): number => (readSetting(env, 'worker.logSize') ?? 20) * MIB;

/** How long engine and worker may take to start, in milliseconds. */
export const startMsIn = (env: NodeJS.ProcessEnv): number => (readSetting(env, 'timeouts.start') ?? 60) * 1_000;
