import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { AccountLimits } from '../activities/dependencies.js';
import { messageOf } from '../core/errors.js';
import { type Account, accountIn, accountName } from '../core/machine/account.js';
import type { AnyProvider } from '../core/machine/provider.js';
import { HOSTS, parseLimits, type RateLimit } from '../core/operation/rate-limits.js';

/** Rate limits of accounts and hosts, and the queues that enforce them. */
export interface AccountQueues extends AccountLimits {
  /**
   * The queues that must exist from the start. They include queues without a limit, so that activities from an earlier
   * setting are still processed.
   */
  all(): Iterable<[queue: string, limit: RateLimit | undefined]>;
  /** Called with the queue of an account that was unknown at the start. */
  onNew(listener: (queue: string, limit: RateLimit) => void): void;
}

/**
 * Returns the limits of this worker: from the setting (`PROVISIONING_LIMITS`), otherwise from the providers. Throws
 * the input error `bad-limits`.
 *
 * @param known accounts in addition to the default ones, as definitions name them
 */
export function accountLimits(
  providers: Record<string, AnyProvider>,
  taskQueue: string,
  setting = '',
  known: readonly string[] = [],
): AccountQueues {
  const said = parseLimits(setting, [...Object.keys(providers), HOSTS]);
  const listeners: ((queue: string, limit: RateLimit) => void)[] = [];
  const queueOf = ({ provider, account }: Account) => `${taskQueue}/provider/${provider}/${account}`;
  const limitOf = ({ provider, account }: Account): RateLimit | undefined =>
    said.get(`${provider}/${account}`) ?? said.get(provider) ?? providers[provider]?.rateLimit;
  const inSetting = [...said.keys()].filter((name) => name !== HOSTS);
  const names = new Set([...Object.keys(providers), ...inSetting, ...known].map((name) => accountName(accountIn(name))));
  const hosts = said.get(HOSTS);

  return {
    get(name) {
      if (name === HOSTS) return hosts && { limit: hosts, queue: `${taskQueue}/${HOSTS}` };
      const account = accountIn(name);
      const limit = limitOf(account);
      if (!limit) return undefined;
      const queue = queueOf(account);
      if (Object.hasOwn(providers, account.provider) && !names.has(accountName(account))) {
        names.add(accountName(account));
        for (const listener of listeners) listener(queue, limit);
      }
      return { limit, queue };
    },
    *all(): Generator<[string, RateLimit | undefined]> {
      for (const account of [...names].map(accountIn)) yield [queueOf(account), limitOf(account)];
      yield [`${taskQueue}/${HOSTS}`, hosts];
    },
    onNew: (listener) => void listeners.push(listener),
  };
}

/**
 * Runs a worker for the queue of each account and of the hosts, until all are stopped. The server dispatches no more
 * than the limit, however many workers poll. An account that appears later gets its own worker then.
 */
export async function runAccountWorkers(
  queues: AccountQueues,
  shared: Omit<WorkerOptions, 'taskQueue'>,
): Promise<{ run(): Promise<void> }> {
  const make = (taskQueue: string, limit: RateLimit | undefined) =>
    Worker.create({
      ...shared,
      taskQueue,
      maxConcurrentActivityTaskExecutions: limit ? 100 : 10,
      // A partition of a queue (there are four) learns the limit from its first poll.
      maxConcurrentActivityTaskPolls: limit ? 8 : 1,
      ...(limit ? { maxTaskQueueActivitiesPerSecond: limit.perSecond } : {}),
    });
  const first = await Promise.all([...queues.all()].map(([queue, limit]) => make(queue, limit)));
  const later: Promise<void>[] = [];
  queues.onNew((queue, limit) => {
    const work = make(queue, limit).then((worker) => worker.run());
    later.push(work.catch((error: unknown) => console.error(`working on the queue "${queue}": ${messageOf(error)}`)));
  });
  return {
    async run() {
      await Promise.all(first.map((worker) => worker.run()));
      await Promise.all(later);
    },
  };
}
