import type { Definition, ServerSpec } from '../definition/definition.js';
import type { Inventory } from '../infra/inventory.js';
import type { PlannedStep } from '../plan/planned-step.js';
import { type CostChange, diffCosts, type ServerCost } from './cost.js';

/** Change of costs by an operation that was previewed: servers that it creates, changes or removes. */
export interface CostPreview {
  changes: CostChange[];
  /** By currency; absent where something is not known. */
  difference?: ReturnType<typeof diffCosts>;
}

/** A server without its services, as it is paid for. */
export type PricedServer = Omit<ServerSpec, 'taskservs'>;
export type PriceOf = (server: PricedServer) => ServerCost;

/** Changes that affect costs. Adopting or releasing a host does not. */
const PAID: ReadonlySet<PlannedStep['machine']> = new Set(['create', 'update', 'replace', 'delete']);

/** A server as it is before and after a plan; absent where it does not exist. */
export interface PaidChange {
  server: string;
  before?: PricedServer | undefined;
  after?: PricedServer | undefined;
}

/** Whether a plan changes what is paid for. */
export const changesPaid = (plan: readonly PlannedStep[]): boolean => plan.some(({ machine }) => PAID.has(machine));

/** The servers whose cost a plan changes. @param given the definition that is planned; default: the last applied one */
export function listPaidChanges(plan: readonly PlannedStep[], inventory?: Inventory, given?: Definition): PaidChange[] {
  const definition = given ?? inventory?.definition;
  const wanted = new Map(definition?.servers.map((server) => [server.name, server]));
  return plan
    .filter(({ machine }) => PAID.has(machine))
    .map(({ on, machine }) => ({
      server: on,
      before: inventory?.servers[on]?.spec,
      after: machine === 'delete' ? undefined : wanted.get(on),
    }));
}

/** The servers that need a price. */
export const listPricedServers = (changes: readonly PaidChange[]): PricedServer[] =>
  changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());

/** Returns the change of costs. Undefined if everything is free. */
export function previewCosts(touched: readonly PaidChange[], priceOf: PriceOf): CostPreview | undefined {
  const changes = touched.map(
    ({ server, before, after }): CostChange => ({
      server,
      ...(before ? { before: priceOf(before) } : {}),
      ...(after ? { after: priceOf(after) } : {}),
    }),
  );
  if (changes.every(({ before, after }) => [before, after].every((one) => !one || 'free' in one))) return undefined;
  const difference = diffCosts(changes);
  return { changes, ...(difference ? { difference } : {}) };
}
