/** The Temporal namespace of a set-up unless another is configured. */
export const DEFAULT_NAMESPACE = 'provisioning';

/** Search attributes of every workflow, all of Temporal's type Keyword. They are stored in plain text: never a secret. */
export const SEARCH_ATTRIBUTES = {
  workspace: 'ProvisioningWorkspace',
  infra: 'ProvisioningInfra',
  /** An operation's kind; `infra` for the entity, `batch`, `orphans`. */
  kind: 'ProvisioningKind',
  /** An operation's status (core/operation/operation.ts). */
  status: 'ProvisioningStatus',
  actor: 'ProvisioningActor',
  /** State that needs a person: an open question, a failed compensation. */
  attention: 'ProvisioningAttention',
} as const;

/** Value of `attention` for an operation or an infra that waits for a store. */
export const STORE_ATTENTION = 'store';

/** Kinds of operations, which are also the types of their workflows. */
export const OPERATION_KINDS = ['cluster', 'server', 'taskserv'] as const;

/** How workspaces, infras, servers and accounts may be named: as host names and labels of every provider take it. */
export const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** The file at the root of a workspace's folder, in any of its formats. */
export const WORKSPACE_FILES = ['provisioning.yaml', 'provisioning.toml', 'provisioning.json'] as const;

/**
 * Names that the /etc/hosts of images and distributions already has. A server with such a name would be a different
 * machine on every other server.
 */
export const HOSTS_OWN_NAMES: ReadonlySet<string> = new Set([
  ...['localhost', 'localhost4', 'localhost6', 'localdomain', 'loopback'],
  ...['localnet', 'mcastprefix', 'allnodes', 'allrouters', 'allhosts', 'localhost', 'loopback'].map((name) => `ip6-${name}`),
]);

/** Rule of `NAME` in words. */
export const NAME_RULE = 'lower-case letters, digits and dashes, a letter first, at most 40 of them';

/** The task queue of the home with this id: two homes on one service never take each other's work. */
export const taskQueueOf = (homeId: string): string => `provisioning-${homeId}`;

/** Id of an infra's entity workflow. */
export const infraWorkflowId = (workspace: string, infra: string): string => `infra/${workspace}/${infra}`;

/** The failure type with which an infra's entity refuses wishes for a definition whose content it does not have. */
export const UNKNOWN_DEFINITION = 'unknown-definition';

/** Identity of a worker in Temporal. `status` finds its build in it and whether it lives. */
export const workerIdentity = (build: string, pid: number, hostname: string): string => `worker/${build}/${pid}@${hostname}`;

/** The parts of an identity made by `workerIdentity`; undefined for a stranger's. */
export function parseWorkerIdentity(identity: string): { build: string; pid: number; hostname: string } | undefined {
  const [, build, pid, hostname] = /^worker\/([^/]+)\/(\d+)@(.+)$/.exec(identity) ?? [];
  return build && pid && hostname ? { build, pid: Number(pid), hostname } : undefined;
}

/** Prefix of the workspaces of test environments. Users cannot give a workspace such a name. */
const TEST_WORKSPACE = 'test-environments-of-';

/** The workspace in which the test environments of a workspace are: their infras, keys and secrets are apart from its own. */
export const testWorkspaceOf = (workspace: string): string => `${TEST_WORKSPACE}${workspace}`;

/** Whether it is one of test environments. */
export const isTestWorkspace = (workspace: string): boolean => workspace.startsWith(TEST_WORKSPACE);

/** The id of the workflow that keeps the time of a test environment. */
export const testEnvironmentId = (workspace: string, name: string): string => `test-environment/${workspace}/${name}`;
