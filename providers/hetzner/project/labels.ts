import { anotherOwnerHint, type CreateContext, fingerprint, inputError, type Scope } from '../../../sdk/index.js';

export type Labels = Record<string, string>;
export type Kind = 'server' | 'network' | 'volume' | 'firewall' | 'address' | 'placement' | 'key';

/** Prefix of our labels. */
const OURS = 'provisioning.';

/** Values that the vendor accepts, except those reserved for our encoding. */
const PLAIN = /^(?!b64\.)([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const KEY = /^(?!hetzner\.cloud\/)([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
/** Maximum length of an encoded text in one label. */
const CHUNK = 54;

/** Stores any text as labels `name`, `name.1`, …: unchanged if the vendor accepts it, encoded otherwise. */
export function packLabels(name: string, text: string): Labels {
  if (PLAIN.test(text)) return { [`${OURS}${name}`]: text };
  const code = Buffer.from(text).toString('base64url');
  const chunks = code.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? [];
  return Object.fromEntries(chunks.map((chunk, index) => [`${OURS}${name}${index ? `.${index}` : ''}`, `b64.${chunk}.e`]));
}

/** Returns the text that was stored under a name; undefined if there is no such label. */
export function unpackLabels(name: string, labels: Labels): string | undefined {
  const first = labels[`${OURS}${name}`];
  if (first === undefined || !first.startsWith('b64.')) return first;
  let code = '';
  for (let index = 0; ; index++) {
    const chunk = labels[`${OURS}${name}${index ? `.${index}` : ''}`];
    if (chunk === undefined) return Buffer.from(code, 'base64url').toString();
    code += chunk.slice(4, -2);
  }
}

/** Encodes a short text as the value of one label. */
export const encodeLabel = (text: string): string =>
  PLAIN.test(text) ? text : text.length <= 40 ? `b64.${Buffer.from(text).toString('base64url')}.e` : `hash.${fingerprint(text)}`;

/** Returns the labels of everything that we create: owner, kind and creator. */
export function ownLabels(kind: Kind, name: string, { scope, setup, key }: Pick<CreateContext, 'scope' | 'setup' | 'key'>): Labels {
  return {
    ...scopeLabels(scope),
    [`${OURS}kind`]: kind,
    [`${OURS}name`]: encodeLabel(name.replace('/', '.')),
    ...(name.includes('/') ? { [`${OURS}server`]: encodeLabel(name.split('/')[0] ?? '') } : {}),
    ...(setup ? { [`${OURS}setup`]: encodeLabel(setup) } : {}),
    ...packLabels('key', key.replaceAll('/', '..')),
  };
}

const scopeLabels = ({ workspace, infra, uuid }: Scope): Labels => ({
  [`${OURS}workspace`]: encodeLabel(workspace),
  [`${OURS}infra`]: encodeLabel(infra),
  [`${OURS}uuid`]: uuid,
});

/** Returns labels for the user's labels: unchanged if the vendor accepts them; all others are stored together. */
export function userLabels(labels: Labels): Labels {
  const rows = Object.entries(labels);
  const isPlain = ([key, value]: [string, string]) => KEY.test(key) && !key.startsWith(OURS) && PLAIN.test(value);
  const odd = rows.filter((row) => !isPlain(row));
  return { ...Object.fromEntries(rows.filter(isPlain)), ...(odd.length > 0 ? packLabels('labels', JSON.stringify(odd)) : {}) };
}

/** Returns the user's labels among those of a resource. */
export function userLabelsIn(labels: Labels): Labels {
  const odd = unpackLabels('labels', labels);
  const plain = Object.entries(labels).filter(([key]) => !key.startsWith(OURS));
  return { ...Object.fromEntries(plain), ...(odd ? readOdd(odd) : {}) };
}

function readOdd(text: string): Labels {
  try {
    return Object.fromEntries(JSON.parse(text) as [string, string][]);
  } catch {
    return {};
  }
}

/** Returns our labels except the stored user labels: they stay when the user's labels change. */
export const ourLabelsIn = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => key.startsWith(OURS) && !/^provisioning\.labels(\.\d+)?$/.test(key)));

/** Returns our name of a resource: `<server>/<volume>` for a volume. */
export function nameIn(labels: Labels): string {
  const name = plainOf(labels[`${OURS}name`]);
  const server = labels[`${OURS}server`];
  return server === undefined ? name : name.replace('.', '/');
}

export function scopeIn(labels: Labels): Scope | undefined {
  const [workspace, infra, uuid] = ['workspace', 'infra', 'uuid'].map((name) => plainOf(labels[OURS + name]));
  return workspace && infra && uuid ? { workspace, infra, uuid } : undefined;
}

export const keyIn = (labels: Labels): string | undefined => unpackLabels('key', labels)?.replaceAll('..', '/');

const plainOf = (value = ''): string =>
  value.startsWith('b64.') ? Buffer.from(value.slice(4, -2), 'base64url').toString() : value;

/** Returns the vendor's selector for resources with our names. Without a UUID it matches all owners. */
export function selector(
  { workspace, infra, uuid }: Omit<Scope, 'uuid'> & { uuid?: string },
  kind: Kind,
  { names, servers }: { names?: readonly string[]; servers?: readonly string[] } = {},
): string {
  return [
    ...Object.entries(scopeLabels({ workspace, infra, uuid: uuid ?? '' })).flatMap(([key, value]) =>
      value ? [`${key}==${value}`] : [],
    ),
    `${OURS}kind==${kind}`,
    ...(names ? [`${OURS}name in (${names.map((name) => encodeLabel(name.replace('/', '.'))).join(',')})`] : []),
    ...(servers ? [`${OURS}server in (${servers.map(encodeLabel).join(',')})`] : []),
  ].join(',');
}

/** Returns the selector for everything that a set-up created in a workspace. */
export const createOwnedSelector = (workspace: string, setup: string): string =>
  `${OURS}workspace==${encodeLabel(workspace)},${OURS}setup==${encodeLabel(setup)}`;

/** Returns a name that is unique in a project and valid for a host: at most 63 characters. */
export function hetznerName({ workspace, infra }: Scope, name: string): string {
  const words = [...(workspace === 'default' ? [] : [workspace]), infra, ...name.split('/')].join('-').toLowerCase();
  const clean = words.replace(/[^a-z0-9-]+/g, '-').replace(/^-+|-+$/g, '');
  return clean === words && clean.length <= 63 ? clean : `${clean.slice(0, 46).replace(/-+$/, '')}-${fingerprint(words)}`;
}

/** Returns name and labels for a resource that is created with servers and has no name in definitions. */
export const nameAndLabels = (kind: 'firewall' | 'address' | 'placement' | 'key', name: string, context: CreateContext) => ({
  name: hetznerName(context.scope, kind === 'placement' || kind === 'key' ? `${kind}-${name}` : name),
  labels: ownLabels(kind, name, context),
});

/** Throws `owned-by-another` for resources with another UUID, `name-taken` for foreign resources. */
export function assertOurs(scope: Scope, kind: Kind, name: string, labels: Labels): void {
  const owner = scopeIn(labels);
  if (owner?.uuid === scope.uuid) return;
  throw inputError({
    code: owner ? 'owned-by-another' : 'name-taken',
    what: `use the ${kind}`,
    on: name,
    why: owner
      ? `the infra "${owner.infra}" of workspace "${owner.workspace}" with UUID ${owner.uuid} has it`
      : `a resource of the project that the platform did not create has the name "${hetznerName(scope, name)}"`,
    hint: anotherOwnerHint(scope, owner),
  });
}
