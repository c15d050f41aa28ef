import type { Inventory } from '../../../core/infra/inventory.js';
import { sumCosts } from '../../../core/machine/cost.js';
import type { PricedServer, PriceOf } from '../../../core/machine/cost-preview.js';
import { findTenant } from '../../../core/tenant-names.js';
import { EVERYWHERE } from '../../access/roles.js';
import type { Engine } from '../../engine.js';
import { listInfraNames, readInventory } from '../../infra/entity.js';
import { readPrices } from '../../plan/read-prices.js';
import { createOwner } from '../../principal.js';
import { listKept } from '../../temporal/kept-list.js';
import { attributeOf, formatCondition } from '../../temporal/visibility.js';
import type { WantedInfra } from './wanted-work.js';

/** Use of an infra, present or future. */
export interface InfraUse {
  workspace: string;
  infra: string;
  servers: number;
  /** By month, in the requested currency; absent if no cost was requested. */
  amount?: number;
}

/** Source of infras and prices, which tests replace. */
export interface UseReader {
  /** @param workspace inside the platform; `*` for the workspaces of all tenants */
  infras(workspace: string): Promise<{ workspace: string; infra: string }[]>;
  inventory(place: { workspace: string; infra: string }): Promise<Pick<Inventory, 'servers' | 'definition'> | undefined>;
  prices(servers: readonly PricedServer[]): Promise<PriceOf>;
}

/** Number of infras that are read at a time. */
const AT_ONCE = 20;

/** Reads infras at Temporal and prices at the providers, for any caller: a quota counts all resources. */
export const readUse = (engine: Engine): UseReader => ({
  async infras(workspace) {
    if (workspace !== EVERYWHERE) return (await listInfraNames(engine, workspace)).map((infra) => ({ workspace, infra }));
    const found = await listKept(engine.temporal, formatCondition('kind', 'infra'));
    return found.map((info) => ({ workspace: attributeOf(info, 'workspace'), infra: info.workflowId.split('/').at(-1) ?? '' }));
  },
  inventory: (place) => readInventory(engine, place),
  prices: (servers) => readPrices({ engine, principal: createOwner('quota') }, servers),
});

/**
 * Returns the present use of a workspace's infras. A server with an unknown price costs nothing here.
 *
 * @param place the workspace inside the platform; `*` for all workspaces of the tenant
 * @param currency of the amounts; absent: no prices are read
 */
export async function readWorkspaceUse(
  reader: UseReader,
  { tenant, workspace }: { tenant: string; workspace: string },
  currency?: string,
): Promise<InfraUse[]> {
  const places = (await reader.infras(workspace)).filter((one) => findTenant(one.workspace) === tenant);
  const uses: InfraUse[] = [];
  for (let first = 0; first < places.length; first += AT_ONCE)
    uses.push(
      ...(await Promise.all(
        places.slice(first, first + AT_ONCE).map(async (place) => {
          const inventory = await reader.inventory(place);
          const names = Object.keys(inventory?.servers ?? {});
          return { ...place, servers: names.length, ...(await amountOf(reader, specsOf(inventory, names), currency)) };
        }),
      )),
    );
  return uses;
}

/** Returns the use of an infra after a change; undefined if the change adds no server. */
export async function readInfraAfter(reader: UseReader, wanted: WantedInfra, currency?: string): Promise<InfraUse | undefined> {
  if (wanted.verb !== 'ensure') return undefined;
  const { workspace, infra, prune, servers } = wanted;
  const inventory = await reader.inventory({ workspace, infra });
  const definition = wanted.definition ?? inventory?.definition;
  const isMeant = servers && new Set(servers);
  const defined = (definition?.servers ?? []).filter(({ name }) => !isMeant || isMeant.has(name));
  const names = new Set(defined.map(({ name }) => name));
  const stays = prune && !isMeant ? [] : Object.keys(inventory?.servers ?? {}).filter((name) => !names.has(name));
  const after = [...defined, ...specsOf(inventory, stays)];
  return { workspace, infra, servers: names.size + stays.length, ...(await amountOf(reader, after, currency)) };
}

const specsOf = (inventory: Pick<Inventory, 'servers'> | undefined, names: readonly string[]): PricedServer[] =>
  names.flatMap((name) => inventory?.servers[name]?.spec ?? []);

async function amountOf(reader: UseReader, servers: readonly PricedServer[], currency?: string): Promise<{ amount?: number }> {
  if (currency === undefined) return {};
  const { sums } = sumCosts(servers.map(await reader.prices(servers)));
  return { amount: sums.find((sum) => sum.currency === currency)?.monthly ?? 0 };
}
