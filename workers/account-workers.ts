import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { AccountLimits } from '../activities/dependencies.js';
import type { AnyProvider } from '../core/provider.js';
import { HOSTS, parseLimits, type RateLimit } from '../core/rate-limits.js';

/** The task queue of an account, or of all hosts together. */
const queueOf = (taskQueue: string, provider: AnyProvider) => `${taskQueue}/provider/${provider.name}/${accountOf(provider)}`;

const accountOf = (provider: AnyProvider): string => provider.account?.(provider.config.parse({})) ?? 'default';

/**
 * The limits of this worker: what a setting says (`PROVISIONING_LIMITS`), else
 * what a provider says of itself. Throws the input error `bad-limits`.
 */
export function accountLimits(providers: Record<string, AnyProvider>, taskQueue: string, setting = ''): AccountLimits {
  const said = parseLimits(setting, [...Object.keys(providers), HOSTS]);
  const limits = new Map<string, { limit: RateLimit; queue: string }>();
  for (const provider of Object.values(providers)) {
    const limit = said.get(`${provider.name}/${accountOf(provider)}`) ?? said.get(provider.name) ?? provider.rateLimit;
    if (limit) limits.set(provider.name, { limit, queue: queueOf(taskQueue, provider) });
  }
  const hosts = said.get(HOSTS);
  if (hosts) limits.set(HOSTS, { limit: hosts, queue: `${taskQueue}/${HOSTS}` });
  return limits;
}

/**
 * Workers for the queues of accounts and hosts: the server hands out no more than
 * the limit, however many workers ask. There is one for every account, also
 * without a limit: what was sent to it under an earlier setting is not left lying.
 */
export function accountWorkers(
  providers: Record<string, AnyProvider>,
  limits: AccountLimits,
  shared: Omit<WorkerOptions, 'taskQueue'> & { taskQueue: string },
): Promise<Worker[]> {
  const queues = new Map<string, RateLimit | undefined>();
  for (const provider of Object.values(providers))
    queues.set(queueOf(shared.taskQueue, provider), limits.get(provider.name)?.limit);
  queues.set(`${shared.taskQueue}/${HOSTS}`, limits.get(HOSTS)?.limit);
  return Promise.all(
    [...queues].map(([taskQueue, limit]) =>
      Worker.create({
        ...shared,
        taskQueue,
        maxConcurrentActivityTaskExecutions: limit ? 100 : 10,
        // A partition of a queue (there are four) knows of the limit when it has been asked once.
        maxConcurrentActivityTaskPolls: limit ? 8 : 1,
        ...(limit ? { maxTaskQueueActivitiesPerSecond: limit.perSecond } : {}),
      }),
    ),
  );
}
