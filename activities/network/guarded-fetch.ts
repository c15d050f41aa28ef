import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, fetch } from 'undici';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { type AllowedPlaces, classifyAddress } from './public-address.js';

/** All addresses of a name, as `dns.promises.lookup` finds them. */
export type Lookup = (host: string) => Promise<{ address: string; family: number }[]>;

export type GuardedAnswer = Awaited<ReturnType<typeof fetch>>;

export interface GuardOptions {
  /** Whether addresses that are not public are refused, except those of `allowed`. Those of credentials are always refused. */
  onlyPublic: boolean;
  allowed: AllowedPlaces;
  /** Default: the system's. Tests have their own. */
  lookup?: Lookup;
}

/** Fetches from addresses that a caller has set, and never follows a redirect. */
export type GuardedFetch = (url: string, how: { headers: Record<string, string>; signal: AbortSignal }) => Promise<GuardedAnswer>;

const resolve: Lookup = (host) => systemLookup(host, { all: true, verbatim: true });

/**
 * Fetches only from addresses that may be connected to. A name is resolved once for a connection, every answer is checked, and
 * the connection goes to what was checked: a name that answers otherwise a moment later leads nowhere else. A redirect is a
 * fetch of its own.
 *
 * It throws inputError `address-refused`, and what `fetch` says of the network.
 */
export function createGuardedFetch({ onlyPublic, allowed, lookup = resolve }: GuardOptions): GuardedFetch {
  const check = (host: string, address: string): void => {
    const kind = classifyAddress(address);
    if (kind === 'public') return;
    if (kind === 'private' && (!onlyPublic || allowed.allows(host, address))) return;
    throw refused(host, address, kind);
  };
  // The socket connects to what this answers: there is no second resolution in which the name could lead elsewhere.
  const checkedLookup = ((host, { all }, reply) => {
    lookup(host)
      .then((found) => {
        for (const { address } of found) check(host, address);
        const [first] = found;
        if (!first) throw new Error(`the name ${host} has no address`);
        if (all) reply(null, found);
        else reply(null, first.address, first.family);
      })
      .catch((error: Error) => reply(error, ''));
  }) satisfies LookupFunction;
  const connectByName = buildConnector({ lookup: checkedLookup });
  const dispatcher = new Agent({
    connect(options, done) {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      try {
        // An address is connected to without a lookup.
        if (isIP(host)) check(host, host);
      } catch (error) {
        return done(error as Error, null);
      }
      connectByName(options, done);
    },
  });
  return async (url, { headers, signal }) => {
    try {
      return await fetch(url, { headers, signal, dispatcher, redirect: 'manual', credentials: 'omit' });
    } catch (error) {
      if (error instanceof Error && error.cause instanceof ProvisioningError) throw error.cause;
      throw error;
    }
  };
}

function refused(host: string, address: string, kind: 'private' | 'credentials'): ProvisioningError {
  const leads = isIP(host) ? host : `${host} leads to ${address}`;
  return inputError({
    ...{ code: 'address-refused', what: 'connect', on: host },
    ...(kind === 'credentials'
      ? { why: `${leads}, which is not a file server` }
      : {
          why: `${leads}, which is not a public address`,
          hint: 'an administrator can allow it: provisioning config set worker.privateAddresses HOST',
        }),
  });
}
