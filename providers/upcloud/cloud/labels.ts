import { anotherOwnerHint, type CreateContext, inputError, type OtherKind, type Scope } from '../../../sdk/index.js';
import type { Label } from '../client/index.js';

export type Kind = 'server' | 'network' | 'volume' | OtherKind;
export type Labels = Record<string, string>;

const OWN = 'provisioning.';

/** Everything that we make bears these, and what it is for. Keys of UpCloud's labels have at most 32 characters. */
export const createLabels = ({ scope, key, setup }: CreateContext, kind: Kind, name: string, more: Labels = {}): Labels => ({
  ...owned({
    workspace: scope.workspace,
    infra: scope.infra,
    uuid: scope.uuid,
    kind,
    name,
    key,
    ...(setup ? { setup } : {}),
    // Of two that were made at the same time, the older stays; not every kind says when it was made.
    made: String(Date.now()),
    ...more,
  }),
});

const owned = (labels: Labels): Labels => Object.fromEntries(Object.entries(labels).map(([key, value]) => [OWN + key, value]));

/** For lists: all of these must hold. */
export const formatLabelFilter = (labels: Partial<Record<string, string>>) =>
  Object.entries(labels).flatMap(([key, value]) => (value === undefined ? [] : [{ key: OWN + key, value }]));

/** What bears our name, whosever it is; with `uuid`, what is ours. */
export const filterByScope = ({ workspace, infra, uuid }: Omit<Scope, 'uuid'> & { uuid?: string }, kind: Kind, name?: string) =>
  formatLabelFilter({ workspace, infra, uuid, kind, name });

export const read = (labels: readonly Label[] | undefined, key: string): string | undefined =>
  labels?.find((label) => label.key === OWN + key)?.value;

export const scopeIn = (labels: readonly Label[] | undefined): Scope => ({
  workspace: read(labels, 'workspace') ?? '',
  infra: read(labels, 'infra') ?? '',
  uuid: read(labels, 'uuid') ?? '',
});

/** Labels that the definition gives are borne as they are. */
export const userLabels = (labels: readonly Label[] | undefined): Labels =>
  Object.fromEntries((labels ?? []).filter(({ key }) => !key.startsWith(OWN)).map(({ key, value }) => [key, value]));

/** Ours as they are, with others of the user's. */
export const mergeUserLabels = (labels: readonly Label[] | undefined, wanted: Labels, changed: Labels = {}): Label[] => {
  const own = (labels ?? []).filter(({ key }) => key.startsWith(OWN)).map(({ key, value }) => [key, value]);
  return listLabels({ ...Object.fromEntries(own), ...owned(changed), ...wanted });
};

export const listLabels = (labels: Labels): Label[] => Object.entries(labels).map(([key, value]) => ({ key, value }));

/** Throws `owned-by-another` unless the labels bear the infra's UUID. */
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

/** The oldest first, by what they were labelled with; the same order whoever looks. */
export const sortByAge = <T extends { uuid: string; labels?: readonly Label[] }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => Number(read(a.labels, 'made')) - Number(read(b.labels, 'made')) || (a.uuid < b.uuid ? -1 : 1));
