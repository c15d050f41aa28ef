import type { Principal } from '../../app/principal.js';
import { ProvisioningError, unreachableError } from '../../core/errors.js';
import { authenticate, type PrincipalOf } from '../request/authenticate.js';
import { BAD_TOKEN } from '../response/problem.js';
import { type RequestConnection, readCallerAddress } from './caller-address.js';
import type { RequestLimits } from './request-limits.js';

/** Limits of the API server. */
export interface Limits {
  requests: RequestLimits;
  signIns: {
    blockedFor(address: string, bearer: string): number | undefined;
    failed(address: string): void;
    accepted(bearer: string): void;
  };
  /** Addresses of proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: ReadonlySet<string>;
}

/** An incoming request, possibly with a change of the protocol. */
type Asked = Pick<Request, 'headers'>;

/** Codes of a sign-in that failed. */
const SIGN_IN_CODES: ReadonlySet<string> = new Set([BAD_TOKEN, 'code-refused']);

/**
 * Lets requests in as far as limits allow it.
 *
 * @param limits absent: nothing is limited
 */
export function createAdmission(limits: Limits | undefined, principalOf: PrincipalOf) {
  const addresses = new WeakMap<Asked, string>();
  /** Remaining limits, by request. */
  const left = new WeakMap<Asked, string[]>();

  /** Does a sign-in unless too many have failed from its address. */
  async function signIn<T>(request: Asked, bearer: string, work: () => Promise<T>): Promise<T> {
    const address = addresses.get(request);
    if (!limits || address === undefined) return work();
    const blockedMs = limits.signIns.blockedFor(address, bearer);
    if (blockedMs !== undefined) throw tooManyFailed(blockedMs);
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProvisioningError && SIGN_IN_CODES.has(error.details.code)) limits.signIns.failed(address);
      throw error;
    }
  }

  return {
    /** Counts a request by its address. @throws the error `rate-limited` */
    async enter(request: Asked, incoming: RequestConnection | undefined): Promise<void> {
      const address = readCallerAddress(incoming, request.headers, limits?.trustedProxies ?? new Set());
      if (address === undefined) return;
      addresses.set(request, address);
      if (!limits) return;
      left.set(request, []);
      left.get(request)?.push(await limits.requests.count('address', address));
    },
    /** The address that a request comes from; undefined if its connection is not known. */
    address: (request: Asked): string | undefined => addresses.get(request),
    signIn,
    /** The principal of a request, which is counted. @throws inputError `bad-token`; the error `rate-limited` */
    async authenticate(request: Asked): Promise<Principal> {
      const given = request.headers.get('authorization') ?? '';
      const { principal } = await signIn(request, given, () =>
        authenticate(request.headers, (bearer) => principalOf(bearer, addresses.get(request))),
      );
      if (limits) {
        limits.signIns.accepted(given);
        left.get(request)?.push(await limits.requests.count('account', principal.actor));
      }
      return principal;
    },
    /** Headers of the answer. */
    headers(request: Asked): Record<string, string> {
      const items = left.get(request);
      return limits && items ? limits.requests.headers(items) : {};
    },
  };
}

const tooManyFailed = (retryAfterMs: number) =>
  unreachableError({
    code: 'rate-limited',
    what: 'answer the request',
    why: 'too many sign-ins have failed from this address',
    hint: 'wait as long as Retry-After says, and check the token',
    retryAfterMs,
  });
