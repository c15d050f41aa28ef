import type { LogLevel, WorkerOptions } from '@temporalio/worker';
import type { Dependencies } from '../activities/dependencies.js';
import { type AllowedPlaces, readAllowedPlaces } from '../activities/network/public-address.js';
import { type ForbiddenKey, findForbiddenKey } from '../home/identities.js';
import { providerSettings, readSetting } from '../settings/settings.js';

type Limits = Required<Pick<WorkerOptions, 'maxConcurrentActivityTaskExecutions' | 'shutdownGraceTime'>>;

/** Settings of a worker from a resolved environment. */
export interface WorkerSettings {
  logLevel: LogLevel;
  limits: Limits;
  /** Settings of logins to hosts. */
  connections: { loginMs: number; forbiddenKey: (identity: string) => Promise<ForbiddenKey | undefined> };
  /** Places that are not public and may be fetched from. */
  privateAddresses: AllowedPlaces;
  activities: Required<Pick<Dependencies, 'firstContact' | 'providerSettings'>>;
}

/** @throws ConfigError `bad-settings` naming the variable */
export function workerSettings(env: NodeJS.ProcessEnv): WorkerSettings {
  const seconds = (name: string, otherwise: number) => readSetting(env, name) ?? otherwise;
  return {
    logLevel: (readSetting<string>(env, 'worker.logLevel') ?? 'warn').toUpperCase() as LogLevel,
    limits: {
      maxConcurrentActivityTaskExecutions: readSetting(env, 'worker.concurrency') ?? 200,
      shutdownGraceTime: `${seconds('worker.grace', 10)} s`,
    },
    connections: {
      loginMs: seconds('timeouts.login', 10) * 1_000,
      forbiddenKey: (identity) => findForbiddenKey(identity, readSetting(env, 'worker.identities')),
    },
    privateAddresses: readAllowedPlaces(readSetting<string>(env, 'worker.privateAddresses') ?? ''),
    activities: {
      firstContact: {
        answerMs: seconds('timeouts.firstAnswer', 180) * 1_000,
        bootMs: seconds('timeouts.firstBoot', 480) * 1_000,
      },
      providerSettings: (provider) => providerSettings(env, provider),
    },
  };
}
