import { createHash } from 'node:crypto';
import type { Filter, ResourceType, Tag, TagSpecification } from '@aws-sdk/client-ec2';
import { anotherOwnerHint, type CallContext, inputError, type OtherKind, type Scope } from '../../../sdk/index.js';

/** Kinds of resources. `disk` is the boot disk: it has the lifetime of its server, and no name in definitions. */
export type Kind = 'server' | 'network' | 'volume' | OtherKind | 'disk' | 'backup';
export type Labels = Readonly<Record<string, string>>;

const PREFIX = 'provisioning.';
const USER = `${PREFIX}label/`;

/** Names of our tags, without their common prefix. */
export type Mark =
  | 'workspace'
  | 'infra'
  | 'uuid'
  | 'setup'
  | 'kind'
  | 'name'
  | 'key'
  | 'server'
  | 'role'
  | 'image'
  | 'network'
  | 'mount'
  | 'placement'
  | 'zone'
  | 'range'
  | 'existing';

export const tagsOf = (marks: Partial<Record<Mark, string>>): Tag[] =>
  Object.entries(marks).map(([key, value]) => ({ Key: PREFIX + key, Value: value }));

/** Returns the tags of everything that we create: owner, kind and creator. `Name` is shown in AWS's console. */
export function ownTags(
  { scope, setup, key }: Pick<CallContext, 'scope' | 'setup'> & { key: string },
  kind: Kind,
  name: string,
  more: Partial<Record<Mark, string>> = {},
): Tag[] {
  const { workspace, infra, uuid } = scope;
  const tags = tagsOf({ workspace, infra, uuid, ...(setup ? { setup } : {}), kind, name, key, ...more });
  return [{ Key: 'Name', Value: `${infra}/${name}` }, ...tags];
}

export const tagSpecification = (type: ResourceType, tags: Tag[]): TagSpecification[] => [{ ResourceType: type, Tags: tags }];

export const userTags = (labels: Labels): Tag[] =>
  Object.entries(labels).map(([key, value]) => ({ Key: USER + key, Value: value }));

/** Returns the labels of the definition among the tags. */
export const userLabels = (tags: readonly Tag[] = []): Record<string, string> =>
  Object.fromEntries(tags.flatMap(({ Key, Value }) => (Key?.startsWith(USER) ? [[Key.slice(USER.length), Value ?? '']] : [])));

export const mark = (tags: readonly Tag[] | undefined, name: Mark): string | undefined =>
  tags?.find(({ Key }) => Key === PREFIX + name)?.Value;

/** Returns the filter for our resources, or without `uuid` for all resources with our names. */
export const createMarkFilters = (marks: Partial<Record<Mark, string | undefined>>): Filter[] =>
  Object.entries(marks).flatMap(([key, value]) => (value === undefined ? [] : [{ Name: `tag:${PREFIX}${key}`, Values: [value] }]));

export function scopeOf(tags: readonly Tag[] | undefined): Scope | undefined {
  const [workspace, infra, uuid] = [mark(tags, 'workspace'), mark(tags, 'infra'), mark(tags, 'uuid')];
  return workspace && infra && uuid ? { workspace, infra, uuid } : undefined;
}

/** Throws `owned-by-another` unless the tags have the infra's UUID. */
export function assertOurs(scope: Scope, kind: Kind, name: string, tags: readonly Tag[] | undefined): void {
  const owner = scopeOf(tags);
  if (owner?.uuid === scope.uuid) return;
  throw inputError({
    code: 'owned-by-another',
    what: `use the ${kind}`,
    on: name,
    why: owner
      ? `the infra "${owner.infra}" of workspace "${owner.workspace}" with UUID ${owner.uuid} has it`
      : 'a resource that the platform did not create has its name in the account',
    hint: anotherOwnerHint(scope, owner),
  });
}

/**
 * Returns a name that is unique in a VPC or an account. It is stable, and differs for another infra of the same name.
 */
export const ownName = ({ infra, uuid }: Scope, ...parts: string[]): string =>
  ['provisioning', infra, ...parts, uuid.replaceAll('-', '').slice(0, 12)].join('-');

/** Returns an idempotency token: AWS creates nothing twice with the same one. At most 64 ASCII characters. */
export const clientToken = ({ scope, key }: { scope: Scope; key: string }, ...what: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([scope.workspace, scope.infra, scope.uuid, key, ...what]))
    .digest('hex');
