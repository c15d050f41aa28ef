import { groupByKey } from '../../core/grouped.js';
import { isTestWorkspace } from '../../core/names.js';
import { findTenant, showWorkspace } from '../../core/tenant-names.js';
import type { Engine } from '../engine.js';
import type { Principal } from '../principal.js';
import { translateFault } from '../temporal/fault.js';
import { attributeOf, formatCondition, listWorkflows, OPEN } from '../temporal/visibility.js';

interface ListedWorkspace {
  name: string;
  infras: number;
}

/** The workspaces of the caller's tenant, and for who is of no tenant those of all tenants. */
export async function listWorkspaces(engine: Engine, { tenant }: Pick<Principal, 'tenant'>): Promise<ListedWorkspace[]> {
  const all = await listAll(engine);
  return all.filter(({ name }) => !isTestWorkspace(name) && (tenant === undefined || findTenant(name) === tenant));
}

/** The workspaces of a tenant as it knows them, with those of its test environments. */
export const listTenantWorkspaces = async (engine: Engine, tenant: string): Promise<ListedWorkspace[]> =>
  (await listAll(engine))
    .filter(({ name }) => findTenant(name) === tenant)
    .map(({ name, infras }) => ({ name: showWorkspace(name), infras }));

async function listAll({ temporal }: Engine): Promise<ListedWorkspace[]> {
  const names: string[] = [];
  try {
    for await (const info of listWorkflows(temporal, `${formatCondition('kind', 'infra')} AND ${OPEN}`))
      names.push(attributeOf(info, 'workspace'));
  } catch (error) {
    throw translateFault(error, 'the list of workspaces');
  }
  return [...groupByKey(names, (name) => name)]
    .filter(([name]) => name !== '')
    .map(([name, all]) => ({ name, infras: all.length }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
