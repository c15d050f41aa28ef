import type { Inventory } from '../../core/infra/inventory.js';
import type { DriftReport } from '../../core/operation/drift.js';
import type { Context } from '../context.js';
import { readContextSetting } from '../settings/config-place.js';

/** Selection of hosts to query. Default: all. */
export interface LookedAt {
  servers?: string[];
  taskservs?: string[];
  /** Whether to query the providers for the machines too. */
  clouds: boolean;
  /** Time limit in seconds for each host and each provider. */
  seconds?: number;
}

/** Infra with its recorded and its current state. */
export interface LiveStatus {
  inventory: Inventory;
  report: DriftReport;
}

/**
 * Returns the timeout of a host's answer in milliseconds.
 *
 * @param seconds overrides the setting
 */
export const answersWithinMs = async (context: Context, seconds?: number): Promise<number> =>
  (seconds ?? (await readContextSetting(context, 'timeouts.answer')) ?? 5) * 1_000;

/** Queries infras in parallel. */
export async function liveStatus(
  context: Context,
  inventories: readonly Inventory[],
  { servers, taskservs, clouds, seconds }: LookedAt,
): Promise<LiveStatus[]> {
  const client = await context.client();
  const withinMs = await answersWithinMs(context, seconds);
  const hosts = { withinMs, ...(servers?.length && { servers }), ...(taskservs?.length && { taskservs }) };
  return Promise.all(
    inventories.map(async (inventory) => {
      const asked = { workspace: context.workspace, infra: inventory.infra, hosts };
      return { inventory, report: await client.infras.status({ ...asked, clouds: clouds ? { withinMs } : false }) };
    }),
  );
}
