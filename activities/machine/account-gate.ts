import { ProvisioningError, unreachableError } from '../../core/errors.js';
import type { ProviderConnection } from '../../core/machine/provider.js';
import type { RateLimit } from '../../core/operation/rate-limits.js';

/** Interval in milliseconds between calls after a pause, if no limit sets another. */
const SPACING_MS = 20;

/** Decides whether an account may be called now. A pause that the account demands from one caller holds for all. */
export interface Gate {
  /** Throws `rate-limited` while the account wants quiet, with a time of its own for each caller to come again. */
  pass(what: string): void;
  /** The account demanded a pause, in milliseconds. Returns the time at which this caller may retry. */
  close(forMs: number): number;
}

/**
 * A gate that gives each refused caller its own time, one after the other, so waiting callers do not return all at
 * once.
 */
export function openGate(account: string, limit?: RateLimit, now: () => number = Date.now): Gate {
  const spacing = limit ? 1_000 / limit.perSecond : SPACING_MS;
  let opensAt = 0;
  let lastGiven = 0;
  const turn = (): number => {
    lastGiven = Math.max(opensAt, lastGiven + spacing);
    return Math.ceil(lastGiven - now());
  };
  return {
    pass(what) {
      if (now() >= opensAt) return;
      const why = 'the provider requested a pause';
      throw unreachableError({ code: 'rate-limited', what: `call ${what}`, on: account, why, retryAfterMs: turn() });
    },
    close(forMs) {
      opensAt = Math.max(opensAt, now() + forMs);
      return turn();
    },
  };
}

type Call = (...args: never[]) => unknown;

/**
 * Puts every call of a connection behind the gate. A call that must be retried later closes the gate for all.
 *
 * @param onError receives every failure of a call
 */
export function limitByGate(
  connection: ProviderConnection,
  gate: Gate,
  onError: (error: unknown) => void = () => {},
): ProviderConnection {
  const behind = <T extends object>(verbs: T, kind: string): T =>
    Object.fromEntries(
      Object.entries(verbs as Record<string, Call>).map(([verb, call]) => [
        verb,
        // Comparisons and cached answers query nothing.
        verb === 'diff' || typeof call !== 'function' ? call : one(`${kind}.${verb}`, call),
      ]),
    ) as T;
  function one<C extends Call>(what: string, call: C): C {
    return ((...args: never[]) => throughGate(gate, what, () => call(...args), onError)) as C;
  }
  return {
    ...connection,
    servers: behind(connection.servers, 'servers'),
    networks: behind(connection.networks, 'networks'),
    volumes: behind(connection.volumes, 'volumes'),
    ...(connection.others && { others: behind(connection.others, 'others') }),
    ...(connection.records && { records: behind(connection.records, 'records') }),
    ...(connection.catalog && { catalog: behind(connection.catalog, 'catalog') }),
    ...(connection.backups && { backups: behind(connection.backups, 'backups') }),
    owned: one('owned', connection.owned),
    ...(connection.power && { power: one('power', connection.power) }),
    ...(connection.strangers && { strangers: one('strangers', connection.strangers) }),
    ...(connection.adopt && { adopt: one('adopt', connection.adopt) }),
    ...(connection.console && { console: one('console', connection.console) }),
  };
}

async function throughGate(gate: Gate, what: string, call: () => unknown, onError: (error: unknown) => void): Promise<unknown> {
  gate.pass(what);
  try {
    return await call();
  } catch (error) {
    onError(error);
    if (!(error instanceof ProvisioningError) || error.details.retryAfterMs === undefined) throw error;
    const retryAfterMs = gate.close(error.details.retryAfterMs);
    throw new ProvisioningError({ ...error.details, retryAfterMs }, { cause: error.cause });
  }
}
