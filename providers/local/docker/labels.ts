import { anotherOwnerHint, inputError, type Scope } from '../../../sdk/index.js';

export type Kind = 'server' | 'network' | 'volume';
export type Labels = Record<string, string>;

const USER = 'provisioning.label/';

/** Key of a resource's creation, which begins with the operation's id. */
export const KEY_LABEL = 'provisioning.key';
/** Set-up that created it. Two set-ups on one machine may have workspaces and infras of the same names. */
export const SETUP_LABEL = 'provisioning.setup';

/** Returns the labels for the creator of a resource. */
export const makerLabels = ({ key, setup }: { key: string; setup?: string }): Labels => ({
  [KEY_LABEL]: key,
  ...(setup ? { [SETUP_LABEL]: setup } : {}),
});

/** Returns the labels for the owner and the kind of everything that we create. */
export function ownerLabels(scope: Scope, kind: Kind, name: string): Labels {
  return {
    'provisioning.workspace': scope.workspace,
    'provisioning.infra': scope.infra,
    'provisioning.uuid': scope.uuid,
    'provisioning.kind': kind,
    'provisioning.name': name,
  };
}

/** Returns Docker's filter for our resources, or without `uuid` for all resources with our names. */
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

/** Returns a name that Docker accepts. It is stable, and differs for another infra of the same name. */
export function dockerName(scope: Scope, ...parts: string[]): string {
  const words = [scope.workspace, scope.infra, ...parts, scope.uuid.replaceAll('-', '').slice(0, 8)];
  return words
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
}

/** Returns Docker's name of a volume, with its server: servers in one group have volumes of the same name. */
export const volumeName = (scope: Scope, server: string, volume: string): string => dockerName(scope, `${server}.${volume}`);

/** Throws `owned-by-another` unless the labels have the infra's UUID and the name. */
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
