import { anotherOwnerHint, type CreateContext, inputError, type OtherKind, type Scope } from '../../../sdk/index.js';
import type { Label } from '../client/index.js';

export type Kind = 'server' | 'network' | 'volume' | OtherKind;
export type Labels = Record<string, string>;

const OWN = 'provisioning.';

/** Returns the labels of everything that we create, with its purpose. UpCloud's keys have at most 32 characters. */
export const createLabels = ({ scope, key, setup }: CreateContext, kind: Kind, name: string, more: Labels = {}): Labels => ({
  ...owned({
    workspace: scope.workspace,
    infra: scope.infra,
    uuid: scope.uuid,
    kind,
    name,
    key,
    ...(setup ? { setup } : {}),
    // After two concurrent creations the older stays, and not every kind reports its creation time.
    made: String(Date.now()),
    ...more,
  }),
});

const owned = (labels: Labels): Labels => Object.fromEntries(Object.entries(labels).map(([key, value]) => [OWN + key, value]));

/** Returns a filter for lists: all labels must match. */
export const formatLabelFilter = (labels: Partial<Record<string, string>>) =>
  Object.entries(labels).flatMap(([key, value]) => (value === undefined ? [] : [{ key: OWN + key, value }]));

/** Returns the filter for resources with our names; with `uuid`, only for our own. */
export const filterByScope = ({ workspace, infra, uuid }: Omit<Scope, 'uuid'> & { uuid?: string }, kind: Kind, name?: string) =>
  formatLabelFilter({ workspace, infra, uuid, kind, name });

export const read = (labels: readonly Label[] | undefined, key: string): string | undefined =>
  labels?.find((label) => label.key === OWN + key)?.value;

export const scopeIn = (labels: readonly Label[] | undefined): Scope => ({
  workspace: read(labels, 'workspace') ?? '',
  infra: read(labels, 'infra') ?? '',
  uuid: read(labels, 'uuid') ?? '',
});

/** Returns the definition's labels, which are stored unchanged. */
export const userLabels = (labels: readonly Label[] | undefined): Labels =>
  Object.fromEntries((labels ?? []).filter(({ key }) => !key.startsWith(OWN)).map(({ key, value }) => [key, value]));

/** Returns our present labels together with the new ones of the user. */
export const mergeUserLabels = (labels: readonly Label[] | undefined, wanted: Labels, changed: Labels = {}): Label[] => {
  const own = (labels ?? []).filter(({ key }) => key.startsWith(OWN)).map(({ key, value }) => [key, value]);
  return listLabels({ ...Object.fromEntries(own), ...owned(changed), ...wanted });
};

export const listLabels = (labels: Labels): Label[] => Object.entries(labels).map(([key, value]) => ({ key, value }));

/** Throws `owned-by-another` unless the labels have the infra's UUID. */
export function assertOurs(scope: Scope, kind: Kind, name: string, labels: readonly Label[] | undefined): void {
  const owner = scopeIn(labels);
  if (owner.uuid === scope.uuid) return;
  throw inputError({
    code: 'owned-by-another',
    what: `use the ${kind}`,
    on: name,
    why: `the infra "${owner.infra}" of workspace "${owner.workspace}" with UUID ${owner.uuid} has it`,
    hint: anotherOwnerHint(scope, owner),
  });
}

/** Sorts by the creation time in the labels, the oldest first; the order is the same for all callers. */
export const sortByAge = <T extends { uuid: string; labels?: readonly Label[] }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => Number(read(a.labels, 'made')) - Number(read(b.labels, 'made')) || (a.uuid < b.uuid ? -1 : 1));
