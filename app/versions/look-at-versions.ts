import type { Inventory } from '../../core/infra/inventory.js';
import { registries } from '../../definition/registries/registries.js';
import { compareInfra } from '../infra/compare-infra.js';
import { queryInventory } from '../infra/entity.js';
import type { Call } from '../method.js';
import { readKnownVersions } from './known-versions.js';
import { type ServiceVersions, serviceVersions } from './service-versions.js';

/** The infra whose hosts are queried, and the time limit. */
export interface AskedVersions {
  workspace: string;
  infra: string;
  /** Only this taskserv. */
  taskserv?: string | undefined;
  /** Milliseconds that each host may take to answer. */
  withinMs: number;
}

/**
 * Queries the hosts of an infra for the running versions and for the packages of their archives. Changes nothing.
 *
 * @returns the services, and the inventory of that moment; no services without an inventory
 * @throws inputError `unknown-infra`
 */
export async function lookAtVersions(
  call: Pick<Call, 'engine' | 'principal'>,
  { workspace, infra, taskserv, withinMs }: AskedVersions,
): Promise<{ services: ServiceVersions[]; inventory?: Inventory }> {
  const hosts = { withinMs, archive: true as const, ...(taskserv !== undefined && { taskservs: [taskserv] }) };
  const report = await compareInfra(
    call,
    { workspace, infra, hosts, clouds: false },
    { purpose: 'versions', summary: `Look at the versions of ${infra}` },
  );
  const inventory = await queryInventory(call.engine, { workspace, infra });
  if (!inventory) return { services: [] };
  const { taskservs } = await registries();
  const names = inventory.definition?.servers.flatMap((server) => server.taskservs.map(({ name }) => name)) ?? [];
  const recorded = Object.values(inventory.servers).flatMap((server) => Object.keys(server.services));
  const known = await readKnownVersions(taskservs, [...names, ...recorded]);
  return { services: serviceVersions(inventory, report.hosts ?? [], known, taskserv), inventory };
}
