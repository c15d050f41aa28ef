import type { RecordedPrincipal } from '../core/access/recorded-principal.js';

/** Types of resources in permissions. */
export const RESOURCE_TYPES = [
  'Tenant',
  'Workspace',
  'Environment',
  'Infra',
  'Server',
  'Operation',
  'Batch',
  'Secret',
  'Setting',
  'Provider',
  'Template',
  'User',
  'Group',
  'Token',
  'Policy',
  'Audit',
] as const;

/** Resource of a call, as its method reads it from the input. */
export interface Resource {
  type: (typeof RESOURCE_TYPES)[number];
  /** `default`; `default/shop` for an infra; the id of an operation or a batch; an account, `hetzner/prod`. */
  id: string;
  /** Whether the call may delete or replace servers and volumes. */
  destroys?: true;
  /**
   * For service accounts, whose ids have names as their tenant knows them: the name of the tenant. Absent: the tenant
   * of the caller.
   */
  accounts?: { tenant?: string | undefined };
}

/** A resource with its place: permissions are about the infra that an operation works on, and not about the operation's id. */
export interface LocatedResource extends Resource {
  /** Empty: the one tenant of a home. */
  tenant: string;
  /** Absent: it belongs to no workspace, or nothing is known of it. */
  workspace?: string;
  infra?: string;
}

/** Facts about its own account that a caller may read. */
export interface CallerIdentity {
  tenant?: string;
  /** The service account. */
  account?: string;
  /** `*` stands for all workspaces. */
  roles?: { role: string; workspace: string }[];
  /** The token of the call, without its secret. */
  token?: { id: string; expires: string };
}

/**
 * Identity of a caller. It is derived from the transport of the call, a socket or a token, and never from the call
 * itself.
 */
export interface Principal {
  /** `user@host`: signs what is done. */
  actor: string;
  /** Whether everything is allowed: its resources are not located. */
  owner?: true;
  /** Absent: the caller has no account. */
  identify?(): Promise<CallerIdentity>;
  /** The id of its tenant, empty for the tenant of the home. Absent: it has no tenant, and sees all tenants. */
  tenant?: string;
  /** Accounts of providers that definitions may use; absent: all. */
  providers?: readonly string[];
  /** Identity that is recorded with waiting work; absent: the caller has no account. */
  recorded?: RecordedPrincipal;
  may(action: string, resource: LocatedResource): boolean | Promise<boolean>;
}

/** Returns the fields of a request that identify the caller. */
export const signRequest = ({ actor, recorded }: Principal): { actor: string; principal?: RecordedPrincipal } => ({
  actor,
  ...(recorded && { principal: recorded }),
});

/**
 * Actions that only the owner of the home may do: they would use the rights of the worker's user on the worker's
 * machine.
 */
export const OWNER_ONLY: ReadonlySet<string> = new Set(['backup:use-path']);

/**
 * Creates the principal of a user that may open the shared socket of a worker. It has the owner's rights, except for
 * paths on the worker's machine.
 */
export const createGroupMember = (actor: string): Principal => ({ actor, may: (action) => !OWNER_ONLY.has(action) });

/** The owner of the home: only the owner may enter the folder of the socket. */
export const createOwner = (actor: string): Principal => ({ actor, owner: true, may: () => true });
