import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { unreachableError } from '../../core/errors.js';

/** Seconds that requests are counted for. */
const WINDOW_S = 60;

/** Requests in a minute, at most. */
export interface RequestRates {
  account: number;
  address: number;
}

type Policy = keyof RequestRates;

/** Counts of this instance's requests. */
export interface RequestLimits {
  /**
   * Counts a request.
   *
   * @returns the remaining requests, as an item of the header `RateLimit`
   * @throws a transient error `rate-limited`, with the headers of the answer
   */
  count(policy: Policy, caller: string): Promise<string>;
  /** `RateLimit-Policy` and `RateLimit` of an answer. @param items what `count` returned for its request */
  headers(items: readonly string[]): Record<string, string>;
}

/** Counts requests in memory: several instances allow as many each. */
export function limitRequests(rates: RequestRates): RequestLimits {
  const limiters = {
    account: new RateLimiterMemory({ points: rates.account, duration: WINDOW_S, keyPrefix: 'account' }),
    address: new RateLimiterMemory({ points: rates.address, duration: WINDOW_S, keyPrefix: 'address' }),
  };
  const policy = (['address', 'account'] as const).map((name) => `"${name}";q=${rates[name]};w=${WINDOW_S}`).join(', ');
  const itemOf = (name: Policy, { remainingPoints, msBeforeNext }: Pick<RateLimiterRes, 'remainingPoints' | 'msBeforeNext'>) =>
    `"${name}";r=${Math.max(0, remainingPoints)};t=${Math.ceil(msBeforeNext / 1_000)}`;
  return {
    async count(name, caller) {
      try {
        return itemOf(name, await limiters[name].consume(caller));
      } catch (error) {
        // It rejects with its state, which is no Error, when there are too many.
        if (error instanceof Error) throw error;
        const state = error as RateLimiterRes;
        throw Object.assign(refuse(name, rates[name], state.msBeforeNext), {
          headers: {
            'ratelimit-policy': policy,
            ratelimit: itemOf(name, { remainingPoints: 0, msBeforeNext: state.msBeforeNext }),
          },
        });
      }
    },
    headers: (items) => ({ 'ratelimit-policy': policy, ...(items.length > 0 && { ratelimit: items.join(', ') }) }),
  };
}

/** The `account`, or the `address`, sends too much. */
const refuse = (whose: string, most: number, retryAfterMs: number) =>
  unreachableError({
    code: 'rate-limited',
    what: 'answer the request',
    why: `the ${whose} may send ${most} requests a minute`,
    hint: 'wait as long as Retry-After says',
    retryAfterMs,
  });
