import { inputError } from '../../core/errors.js';
import { computeCost, findPriceInZone } from '../../core/machine/cost.js';
import type { ProviderConnection, WantedServer } from '../../core/machine/provider.js';
import type { ProviderOffer } from '../../core/operation/provider-questions.js';

const HOUR_MS = 3_600_000;

/** Cost of a run so far, in the currency of the price list. */
export interface Meter {
  /** Cost of all servers. Each started hour counts in full. */
  spent(): number;
  /** Number of requested servers. */
  made(): number;
}

interface Limits {
  provider: string;
  sold: ProviderOffer;
  /** Hourly price of a server that is not in the price list. The provider rejects it, or the list is outdated. */
  dearest: number;
  /** Maximum cost of all servers, in the currency of the list. */
  ceiling: number;
  /** Milliseconds, as `Date.now`. */
  now?: () => number;
}

interface Running {
  hourly: number;
  since: number;
  until?: number;
}

/** Returns the hourly price of a server. @throws inputError `price-unknown`: a ceiling needs all prices */
export function hourlyOf(provider: string, wanted: WantedServer, sold: ProviderOffer): { hourly: number; currency: string } {
  const { name, plan, zone, volumes, address, firewall } = wanted;
  const cost = computeCost({ name, provider, plan, zone, volumes, address, firewall }, { sold });
  if ('cost' in cost) return cost.cost;
  const why = 'unknown' in cost ? cost.unknown : 'nothing is paid for it';
  throw inputError({ code: 'price-unknown', what: 'limit the cost', on: `${provider} ${plan.name}`, why });
}

/** Wraps a connection. It rejects a new or larger server if the total cost could exceed the ceiling. */
export function metered(
  connection: ProviderConnection,
  { provider, sold, dearest, ceiling, now = Date.now }: Limits,
): ProviderConnection & { meter: Meter } {
  const all: Running[] = [];
  const living = new Map<string, Running>();
  let made = 0;
  const isSold = ({ plan, zone = sold.defaultZone ?? '' }: WantedServer) => {
    const known = sold.plans.find(({ name }) => name === plan.name);
    return known !== undefined && findPriceInZone(known.zones, zone) !== undefined;
  };
  const spentBy = ({ hourly, since, until = now() }: Running) => hourly * Math.max(1, Math.ceil((until - since) / HOUR_MS));
  const spent = () => all.reduce((sum, one) => sum + spentBy(one), 0);
  const begin = (key: string, wanted: WantedServer) => {
    const hourly = isSold(wanted) ? hourlyOf(provider, wanted, sold).hourly : dearest;
    const before = living.get(key);
    if (before?.hourly === hourly) return;
    if (spent() + hourly > ceiling)
      throw inputError({
        code: 'cost-ceiling',
        what: 'make a server',
        on: wanted.name,
        why: `${(spent() + hourly).toFixed(4)} would be more than the ceiling of ${ceiling}`,
        hint: 'raise --max-cost',
      });
    if (before) before.until = now();
    const running = { hourly, since: now() };
    all.push(running);
    living.set(key, running);
  };
  const { servers } = connection;
  return {
    ...connection,
    servers: {
      ...servers,
      async create(wanted, context) {
        const key = `${context.scope.uuid}/${wanted.name}`;
        if (!living.has(key)) made++;
        begin(key, wanted);
        return servers.create(wanted, context);
      },
      async update(wanted, context) {
        const key = `${context.scope.uuid}/${wanted.name}`;
        if (living.has(key)) begin(key, wanted);
        return servers.update(wanted, context);
      },
      async delete(name, context) {
        await servers.delete(name, context);
        const key = `${context.scope.uuid}/${name}`;
        const gone = living.get(key);
        if (gone) gone.until = now();
        living.delete(key);
      },
    },
    meter: { spent, made: () => made },
  };
}
