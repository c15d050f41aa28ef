import { ProvisioningError } from '../../core/errors.js';
import { showNames } from '../../core/tenant-names.js';
import type { Principal } from '../principal.js';

/**
 * Translates answers to the names that the caller's tenant knows, in texts and errors too. Users cannot choose a name
 * in the form of an internal name, so the platform has written every text in this form.
 */
export async function* leaveTenant(answers: AsyncIterable<unknown>, { tenant }: Principal): AsyncGenerator<unknown> {
  if (!tenant) return yield* answers as AsyncGenerator<unknown>;
  try {
    for await (const answer of answers) yield showOnce(tenant, answer);
  } catch (error) {
    throw showError(tenant, error);
  }
}

/** By an answer and its tenant: an event that many follow is shown once, and all of them get the same object. */
const shown = new WeakMap<object, Map<string, unknown>>();

function showOnce(tenant: string, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return show(tenant, answer);
  const byTenant = shown.get(answer) ?? new Map<string, unknown>();
  shown.set(answer, byTenant);
  if (!byTenant.has(tenant)) byTenant.set(tenant, show(tenant, answer));
  return byTenant.get(tenant);
}

function show(tenant: string, value: unknown): unknown {
  if (typeof value === 'string') return showNames(tenant, value);
  if (Array.isArray(value)) return value.map((item) => show(tenant, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [showNames(tenant, key), show(tenant, one)]));
}

function showError(tenant: string, error: unknown): unknown {
  if (!(error instanceof ProvisioningError)) return error;
  const { details, cause } = error;
  return new ProvisioningError(show(tenant, details) as typeof details, cause === undefined ? undefined : { cause });
}
