import { findTenant, findTenantOfId } from '../core/tenant-names.js';
import { readTokenAccount } from './access/access-tokens.js';
import { EVERYWHERE } from './access/roles.js';
import { accountScope, HOME_TENANT } from './access/service-accounts.js';
import { findTenantByName } from './access/tenants.js';
import type { Engine } from './engine.js';
import { readPlaceOfEnded } from './operation/ended.js';
import type { LocatedResource, Principal, Resource } from './principal.js';
import { attributesOfWorkflow } from './temporal/attributes-of-workflow.js';
import { createWorkflowMap, type ExpiringMap } from './temporal/expiring-map.js';

type Place = Pick<LocatedResource, 'workspace' | 'infra'>;

/** A tenant that does not exist: it has no accounts. */
const NO_TENANT = '?';

// By the client of Temporal, since an engine can be an object of one call.
const known = new WeakMap<Engine['temporal'], ExpiringMap<Place>>();
/** Places that were in memory: places of workflows that do not exist never are. */
const recalled = new WeakSet<Place>();

/** Operations that Temporal did not know when they were located, and of which the store has the end. */
const forgotten = new WeakSet<object>();

/** Whether Temporal did not know this operation when it was located, while the store has its end. */
export const isForgotten = (located: LocatedResource | undefined): boolean => located !== undefined && forgotten.has(located);

/**
 * Finds the place of a resource. An operation, batch or token that does not exist has no place. A principal without
 * rights in all workspaces gets the same answer for it as for resources of others.
 */
export async function locate(
  engine: Engine,
  resource: Resource,
  principal: Pick<Principal, 'tenant'> = {},
): Promise<LocatedResource> {
  const place = await placeOf(engine, resource);
  const located = { ...resource, tenant: await tenantOf(engine, resource, place, principal), ...place };
  if (recalled.has(place)) recalled.add(located);
  if (forgotten.has(place)) forgotten.add(located);
  return located;
}

/** Takes the same time for a cached place as for a missing resource, which had to be queried. */
export async function lookUpAgain(engine: Engine, located: LocatedResource): Promise<void> {
  if (recalled.has(located)) await attributesOfWorkflow(engine.temporal, located.id);
}

async function tenantOf(
  { stores }: Engine,
  { type, id, accounts }: Resource,
  { workspace }: Place,
  { tenant = HOME_TENANT }: Pick<Principal, 'tenant'>,
): Promise<string> {
  if (accounts?.tenant !== undefined && tenant === HOME_TENANT)
    return (await findTenantByName(stores, accounts.tenant)) ?? NO_TENANT;
  if (accounts) return tenant;
  if (type === 'Token') return (await readTokenAccount(stores, id))?.tenant ?? HOME_TENANT;
  // All resources of the caller's tenant, and the caller itself.
  if ((type === 'Workspace' && id === '*') || (type === 'User' && id === '')) return tenant;
  if (workspace !== undefined) return findTenant(workspace);
  // It ended so long ago that Temporal does not know it, or it never existed.
  return type === 'Operation' || type === 'Batch' ? findTenantOfId(id) : HOME_TENANT;
}

async function placeOf(engine: Engine, { type, id }: Resource): Promise<Place> {
  switch (type) {
    case 'Workspace':
      // `*` stands for all workspaces.
      return id === '*' ? {} : { workspace: id };
    case 'Environment':
    case 'Infra':
    case 'Server':
    case 'Secret': {
      const [workspace, infra] = id.split('/');
      return { ...(workspace && { workspace }), ...(infra && type !== 'Environment' && { infra }) };
    }
    case 'Operation':
    case 'Batch':
      return placeOfWorkflow(engine, id);
    case 'User':
      return placeOfAccount(id);
    case 'Token': {
      const account = await readTokenAccount(engine.stores, id);
      return account === undefined ? {} : placeOfAccount(account.name);
    }
    default:
      return {};
  }
}

function placeOfAccount(name: string): Place {
  const scope = accountScope(name);
  return scope === EVERYWHERE ? {} : { workspace: scope };
}

async function placeOfWorkflow(engine: Engine, id: string): Promise<Place> {
  const places = known.get(engine.temporal) ?? createWorkflowMap<Place>();
  known.set(engine.temporal, places);
  const kept = places.get(id);
  if (kept) {
    recalled.add(kept);
    return kept;
  }
  const attributes = await attributesOfWorkflow(engine.temporal, id);
  const { workspace, infra } = attributes ?? (await readPlaceOfEnded(engine, id)) ?? {};
  const place = { ...(workspace && { workspace }), ...(infra && { infra }) };
  if (!attributes) {
    // Not cached, because Temporal may start another workflow with this id.
    if (workspace !== undefined) forgotten.add(place);
    return place;
  }
  places.keep(id, place);
  return { ...place };
}
