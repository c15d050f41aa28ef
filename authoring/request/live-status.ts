import type { Inventory } from '../../core/infra/inventory.js';
import type { DriftReport } from '../../core/operation/drift.js';
import type { Context } from '../context.js';
import { readContextSetting } from '../settings/config-place.js';

/** Whom to look at; all where nothing is named. */
export interface LookedAt {
  servers?: string[];
  taskservs?: string[];
  /** Also ask the providers whether the machines are there. */
  clouds: boolean;
  /** Seconds that each host and each provider may take to answer. */
  seconds?: number;
}

/** An infra as it was recorded, and as it is now. */
export interface LiveStatus {
  inventory: Inventory;
  report: DriftReport;
}

/** Milliseconds that each host is given to answer. @param seconds as somebody said it; else the settings do */
export const answersWithinMs = async (context: Context, seconds?: number): Promise<number> =>
  (seconds ?? (await readContextSetting(context, 'timeouts.answer')) ?? 5) * 1_000;

/** Looks at infras, all side by side. */
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
