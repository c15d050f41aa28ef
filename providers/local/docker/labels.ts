import { anotherOwnerHint, inputError, type Scope } from '../../../sdk/index.js';

export type Kind = 'server' | 'network' | 'volume';
export type Labels = Record<string, string>;

const USER = 'provisioning.label/';

/** The key that a resource was made with: it begins with the operation's id. */
export const KEY_LABEL = 'provisioning.key';
/** The set-up that made it. Two on one machine may have workspaces and infras of the same names. */
export const SETUP_LABEL = 'provisioning.setup';

/** What tells who made a resource, besides whose it is. */
export const makerLabels = ({ key, setup }: { key: string; setup?: string }): Labels => ({
  [KEY_LABEL]: key,
  ...(setup ? { [SETUP_LABEL]: setup } : {}),
});

/** What everything that we make bears: whose it is and what. */
export function ownerLabels(scope: Scope, kind: Kind, name: string): Labels {
  return {
    'provisioning.workspace': scope.workspace,
    'provisioning.infra': scope.infra,
    'provisioning.uuid': scope.uuid,
    'provisioning.kind': kind,
    'provisioning.name': name,
  };
}

/** Docker's filter for what is ours, or (without `uuid`) for what bears our names. */
export function ownerFilter(scope: Omit<Scope, 'uuid'> & { uuid?: string }, kind: Kind, name?: string): { label: string[] } {
  const labels: Record<string, string | undefined> = {
    'provisioning.workspace': scope.workspace,
    'provisioning.infra': scope.infra,
    'provisioning.uuid': scope.uuid,
    'provisioning.kind': kind,
    'provisioning.name': name,
  };
  return { label: Object.entries(labels).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`])) };
}

export const userLabels = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [USER + key, value]));

/** A name that Docker accepts, the same for the same resource, and another for another infra of the same name. */
export function dockerName(scope: Scope, ...parts: string[]): string {
  const words = [scope.workspace, scope.infra, ...parts, scope.uuid.replaceAll('-', '').slice(0, 8)];
  return words
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
}

/** Servers of one group have volumes of the same name. */
export const volumeName = (scope: Scope, server: string, volume: string): string => dockerName(scope, `${server}.${volume}`);

/** Throws `owned-by-another` unless the labels bear the infra's UUID, and the name. */
export function assertOurs(scope: Scope, kind: Kind, name: string, labels: Labels): void {
  const owner = labels['provisioning.uuid'];
  if (owner === scope.uuid && labels['provisioning.name'] === name) return;
  const whose = owner
    ? `the infra "${labels['provisioning.infra']}" of workspace "${labels['provisioning.workspace']}" with UUID ${owner} has it`
    : 'something that is not ours bears its name in Docker';
  throw inputError({
    code: 'owned-by-another',
    what: `use the ${kind}`,
    on: name,
    why: whose,
    hint: anotherOwnerHint(scope, { workspace: labels['provisioning.workspace'], infra: labels['provisioning.infra'] }),
  });
}
