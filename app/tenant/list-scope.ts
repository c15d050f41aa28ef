import { quoteValue } from '../../core/engine/quote-value.js';
import { SEARCH_ATTRIBUTES, testWorkspaceOf } from '../../core/names.js';
import { TENANT_PREFIX, tenantPrefix } from '../../core/tenant-names.js';
import type { Principal } from '../principal.js';

/**
 * Returns the conditions that limit Temporal's lists to the tenant of the caller; empty for a caller that sees all
 * tenants.
 */
export function limitToTenant({ tenant }: Pick<Principal, 'tenant'>): string[] {
  const begins = (prefix: string) => [prefix, testWorkspaceOf(prefix)];
  if (tenant === undefined) return [];
  if (tenant === '')
    return begins(TENANT_PREFIX).map((prefix) => `${SEARCH_ATTRIBUTES.workspace} NOT STARTS_WITH ${quoteValue(prefix)}`);
  const own = begins(tenantPrefix(tenant)).map((prefix) => `${SEARCH_ATTRIBUTES.workspace} STARTS_WITH ${quoteValue(prefix)}`);
  return [`(${own.join(' OR ')})`];
}
