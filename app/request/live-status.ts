import type { Inventory } from '../../core/infra/inventory.js';
import type { DriftReport } from '../../core/operation/drift.js';
import { HOST_ANSWERS_MS } from '../../core/operation/host-status.js';
import type { Context } from '../context.js';

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

/** Looks at infras, all side by side. */
export async function liveStatus(
  context: Context,
  inventories: readonly Inventory[],
  { servers, taskservs, clouds, seconds }: LookedAt,
): Promise<LiveStatus[]> {
  const client = await context.client();
  const withinMs = seconds === undefined ? HOST_ANSWERS_MS : seconds * 1_000;
  const hosts = { withinMs, ...(servers?.length && { servers }), ...(taskservs?.length && { taskservs }) };
  return Promise.all(
    inventories.map(async (inventory) => {
      const asked = { workspace: context.workspace, infra: inventory.infra, hosts };
      return { inventory, report: await client.infras.status({ ...asked, clouds: clouds ? { withinMs } : false }) };
    }),
  );
}
