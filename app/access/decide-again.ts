import { type AuthorityAnswer, type AuthorityQuestion, NO_AUTHORITY } from '../../core/access/recorded-principal.js';
import { findTenant } from '../../core/tenant-names.js';
import { serviceAccounts } from '../../stores/rows/service-accounts.js';
import type { Rows } from '../../stores/rows.js';
import type { AuditNote } from '../record-calls.js';
import { accountMay } from './authenticate.js';
import { HOME_TENANT, listBindings } from './service-accounts.js';
import { readTenantById } from './tenants.js';

/** Refusals whose records are remembered, so that another attempt of the same question records no second one. */
const REMEMBERED = 1_000;

/** Milliseconds that a record may take before another attempt records again. */
const LONGEST_MS = 30_000;

/**
 * Creates a function that decides for the recorded principal of an operation or a batch, by the present permissions of
 * its account. A refusal is recorded, once for all attempts of a question in this process: one that took too long still
 * works when the next one begins.
 *
 * @param note records a refusal; if the record fails, the decision is made later
 */
export function decideAgain(rows: () => Promise<Rows>, note: (event: AuditNote) => Promise<void>) {
  const recorded = new Map<string, Promise<void>>();
  function noteOnce(event: AuditNote, key: string | undefined): Promise<void> {
    if (key === undefined) return note(event);
    const known = recorded.get(key);
    if (known) return known;
    const noted = note(event);
    recorded.set(key, noted);
    const forget = () => recorded.get(key) === noted && recorded.delete(key);
    // One that hangs must not hold up the attempts to come.
    const late = setTimeout(forget, LONGEST_MS);
    late.unref();
    noted.then(() => clearTimeout(late), forget);
    const [oldest] = recorded.keys();
    if (recorded.size > REMEMBERED && oldest !== undefined) recorded.delete(oldest);
    return noted;
  }
  /** Throws the errors of the store: without an answer nothing begins. */
  return async function decide(question: AuthorityQuestion): Promise<AuthorityAnswer> {
    const refused = await findRefusal(await rows(), question);
    if (refused === undefined) return {};
    const { actor, action, operation, workspace, infra, asked } = question;
    const event: AuditNote = {
      ...{ class: 'access', method: 'operations.begin', door: 'platform', outcome: 'refused', decision: 'denied' },
      ...{ actor, action, operation, reason: NO_AUTHORITY, code: NO_AUTHORITY },
      resource: infra === undefined ? `Workspace ${workspace}` : `Infra ${workspace}/${infra}`,
    };
    await noteOnce(event, asked && JSON.stringify([operation, action, event.resource, asked]));
    return { refused };
  };
}

async function findRefusal(rows: Rows, { principal, action, workspace }: AuthorityQuestion): Promise<string | undefined> {
  const { tenant, account, name } = principal;
  const [found, bindings, owner] = await Promise.all([
    rows.table(serviceAccounts).get({ tenant, name }),
    listBindings(rows, { id: account }),
    tenant === HOME_TENANT ? undefined : readTenantById(rows, tenant),
  ]);
  if (tenant !== HOME_TENANT && owner?.state !== 'active') return 'its tenant was deleted';
  // One that was created again under the name has another id.
  if (found?.row.id !== account) return 'the service account was deleted';
  const resource = { tenant: findTenant(workspace), workspace };
  return accountMay(tenant, bindings, action, resource) ? undefined : 'no role of the service account allows it';
}
