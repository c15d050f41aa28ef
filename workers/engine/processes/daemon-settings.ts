import { readSetting } from '../../../settings/settings.js';

const MIB = 1024 * 1024;

/** From which size on a log is put aside, in bytes, as a settled environment says it. */
export const logBytesIn = (env: NodeJS.ProcessEnv): number => (readSetting(env, 'worker.logSize') ?? 20) * MIB;

/** How long engine and worker may take to start, in milliseconds. */
export const startMsIn = (env: NodeJS.ProcessEnv): number => (readSetting(env, 'timeouts.start') ?? 60) * 1_000;
