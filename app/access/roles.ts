import { testWorkspaceOf } from '../../core/names.js';
import type { RoleBinding } from '../../stores/rows/service-accounts.js';
import type { LocatedResource } from '../principal.js';

/** All workspaces, and all resources without a workspace. */
export const EVERYWHERE = '*';

/**
 * Groups of actions by purpose. Each action of a method is in one of these groups, or in `OWNER_ONLY` of principal.ts.
 */
const GROUPS = {
  /** Data that the platform has recorded, without secrets. */
  reads: [
    'batch:read',
    'catalog:read',
    'fleet:read',
    'identity:read',
    'freeze:read',
    'infra:read',
    'infra:read-key',
    'operation:read',
    'operation:read-logs',
    'quota:read',
    'test-environment:read',
    'workspace:read',
  ],
  /** Looks at hosts and vendors, and the names of secrets. */
  looks: [
    'application:read',
    'application:read-logs',
    'infra:refresh',
    'infra:status',
    'operation:preview',
    'orphan:read',
    'provider:read',
    'secret:read',
  ],
  /** Controls of work that others have started. */
  operates: [
    'batch:cancel',
    'batch:decide',
    'freeze:create',
    'operation:cancel',
    'operation:force',
    'operation:pause',
    'operation:resume',
  ],
  /** Changes of infras. The answer to a question of an operation may bring another definition. */
  deploys: [
    'batch:rollback',
    'batch:submit',
    'bundle:put',
    'infra:recover',
    'operation:apply',
    'operation:decide',
    'operation:delete',
    'operation:rollback',
    'orphan:remove',
    'secret:delete',
    'secret:set',
    'server:forget-host-key',
    'server:import',
    'server:pin-host-key',
    'test-environment:create',
    'test-environment:keep',
    'test-environment:remove',
    'test-environment:run',
  ],
  approves: ['batch:approve', 'operation:approve'],
  /** Records and settings of the platform. */
  audits: ['audit:read', 'backup:read', 'encryption:read', 'secret:read', 'service-account:read', 'setting:read', 'token:read'],
  administers: [
    'audit:erase',
    'backup:create',
    'backup:sweep',
    'encryption:rewrap',
    'encryption:rotate',
    'fleet:promote',
    'freeze:delete',
    'quota:remove',
    'quota:set',
    'role:bind',
    'role:unbind',
    'secret:reveal',
    // A shell of root: it reads the secrets of the host.
    'server:login',
    'service-account:create',
    'service-account:delete',
    'setting:set',
    'setting:set-engine',
    'tenant:create',
    'tenant:delete',
    'tenant:read',
    'token:create',
    'token:revoke',
    'workspace:export',
    'workspace:import',
    'workspace:register',
    'workspace:remove',
    'workspace:rename',
  ],
} as const;

type Group = keyof typeof GROUPS;

const ALL = Object.keys(GROUPS) as Group[];

/**
 * Groups of actions that each role allows. A role allows only listed actions: an action without a group is refused to
 * every account. Policies will replace this table.
 */
const GROUPS_BY_ROLE = {
  viewer: ['reads'],
  operator: ['reads', 'looks', 'operates'],
  deployer: ['reads', 'looks', 'operates', 'deploys'],
  approver: ['reads', 'approves'],
  auditor: ['reads', 'audits'],
  admin: ALL,
} as const satisfies Readonly<Record<string, readonly Group[]>>;

export type Role = keyof typeof GROUPS_BY_ROLE;

export const ROLES = Object.keys(GROUPS_BY_ROLE) as [Role, ...Role[]];

/** The actions that a role allows; empty for a role that this release does not know. */
export const actionsByRole: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  ROLES.map((role) => [role, new Set(GROUPS_BY_ROLE[role].flatMap((group): readonly string[] => GROUPS[group]))]),
);

/** Actions without a workspace that a role in any workspace allows, since definitions are written with them. */
const SHARED: ReadonlySet<string> = new Set(['catalog:read', 'provider:read']);

/** Actions on the home that are allowed to the accounts of all tenants. */
export const SHARED_WITH_TENANTS: ReadonlySet<string> = new Set(['catalog:read']);

/** Actions that an administrator of the home may do in all tenants. */
export const MANAGES_TENANTS: ReadonlySet<string> = new Set([
  'role:bind',
  'role:unbind',
  'service-account:create',
  'service-account:delete',
  'service-account:read',
  'token:create',
  'token:read',
  'token:revoke',
]);

/**
 * Actions that a role in one workspace does not allow. They use names that belong to no workspace yet, folders of the
 * worker's machine, and inventories that assign servers to workspaces.
 */
const WIDE: ReadonlySet<string> = new Set(['workspace:import', 'workspace:register', 'workspace:rename']);

/** Actions of every account, even without a role. They concern only the caller. */
const EVERYBODY: ReadonlySet<string> = new Set(['identity:read']);

type Binding = Pick<RoleBinding, 'workspace' | 'role'>;

/** Whether one of these roles allows an action on a resource of the account's tenant. */
export const rolesAllow = (bindings: readonly Binding[], action: string, resource: Pick<LocatedResource, 'workspace'>): boolean =>
  EVERYBODY.has(action) ||
  bindings.some(({ workspace, role }) => actionsByRole.get(role)?.has(action) === true && isWithin(workspace, action, resource));

function isWithin(scope: string, action: string, { workspace }: Pick<LocatedResource, 'workspace'>): boolean {
  if (scope === EVERYWHERE) return true;
  if (WIDE.has(action)) return false;
  if (workspace === undefined) return SHARED.has(action);
  return workspace === scope || workspace === testWorkspaceOf(scope);
}
