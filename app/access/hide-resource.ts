import { inputError, type ProvisioningError } from '../../core/errors.js';
import { lookUpAgain } from '../locate.js';
import type { Call, HIDDEN_ERRORS } from '../method.js';
import type { LocatedResource, Resource } from '../principal.js';

interface Hidden {
  /** The action that shows that a resource exists. */
  read: string;
  /** The error code for a caller who may not read it. */
  code: (typeof HIDDEN_ERRORS)[number];
}

/** Resources that everybody knows of: the platform itself and its parts. */
const OPEN = 'open';

const TYPES: Readonly<Record<Resource['type'], Hidden | typeof OPEN>> = {
  Tenant: OPEN,
  Workspace: { read: 'workspace:read', code: 'unknown-workspace' },
  Environment: { read: 'workspace:read', code: 'unknown-environment' },
  Infra: { read: 'infra:read', code: 'unknown-infra' },
  Server: { read: 'infra:read', code: 'unknown-server' },
  Operation: { read: 'operation:read', code: 'unknown-operation' },
  Batch: { read: 'batch:read', code: 'unknown-operation' },
  Secret: { read: 'secret:read', code: 'unknown-secret' },
  Setting: OPEN,
  Provider: { read: 'provider:read', code: 'unknown-provider' },
  Template: OPEN,
  User: { read: 'service-account:read', code: 'unknown-service-account' },
  Group: OPEN,
  Token: { read: 'token:read', code: 'unknown-token' },
  Policy: OPEN,
  Audit: OPEN,
};

/**
 * Returns the error for a refused call on a resource that the caller may not read. Error and response time are the
 * same whether the resource exists or not. Undefined if the caller may read it, or if its existence is public.
 *
 * @param what the caller tried
 */
export async function hideResource(
  { engine, principal }: Pick<Call, 'engine' | 'principal'>,
  located: LocatedResource,
  what: string,
): Promise<ProvisioningError | undefined> {
  const { type, id } = located;
  const hidden = TYPES[type];
  // `*` stands for all of them.
  if (hidden === OPEN || id === '*') return undefined;
  if (await principal.may(hidden.read, located)) return undefined;
  if (type === 'Operation' || type === 'Batch') await lookUpAgain(engine, located);
  const why = 'it does not exist, or you may not read it';
  return inputError({ code: hidden.code, what, on: `${type} ${id}`, why });
}
