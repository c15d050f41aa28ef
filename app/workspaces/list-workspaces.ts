import { groupByKey } from '../../core/grouped.js';
import { isTestWorkspace } from '../../core/names.js';
import { findTenant, showWorkspace } from '../../core/tenant-names.js';
import type { Engine } from '../engine.js';
import type { Principal } from '../principal.js';
import { translateFault } from '../temporal/fault.js';
import { listKept } from '../temporal/kept-list.js';
import { attributeOf, formatCondition } from '../temporal/visibility.js';

interface ListedWorkspace {
  name: string;
  infras: number;
}

/** Lists the workspaces of the caller's tenant. A caller without a tenant gets the workspaces of all tenants. */
export async function listWorkspaces(engine: Engine, { tenant }: Pick<Principal, 'tenant'>): Promise<ListedWorkspace[]> {
  const all = await listAll(engine);
  return all.filter(({ name }) => !isTestWorkspace(name) && (tenant === undefined || findTenant(name) === tenant));
}

/** Lists the workspaces of a tenant by the tenant's names, including those of its test environments. */
export const listTenantWorkspaces = async (engine: Engine, tenant: string): Promise<ListedWorkspace[]> =>
  (await listAll(engine))
    .filter(({ name }) => findTenant(name) === tenant)
    .map(({ name, infras }) => ({ name: showWorkspace(name), infras }));

async function listAll({ temporal }: Engine): Promise<ListedWorkspace[]> {
  const names: string[] = [];
  try {
    for (const info of await listKept(temporal, formatCondition('kind', 'infra'))) names.push(attributeOf(info, 'workspace'));
  } catch (error) {
    throw translateFault(error, 'the list of workspaces');
  }
  return [...groupByKey(names, (name) => name)]
    .filter(([name]) => name !== '')
    .map(([name, all]) => ({ name, infras: all.length }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
