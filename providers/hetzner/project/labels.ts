import { anotherOwnerHint, type CreateContext, fingerprint, inputError, type Scope } from '../../../sdk/index.js';

export type Labels = Record<string, string>;
export type Kind = 'server' | 'network' | 'volume' | 'firewall' | 'address' | 'placement' | 'key';

/** What comes before the names of our own labels. */
const OURS = 'provisioning.';

/** Values that the vendor takes, of which we keep some for what it does not. */
const PLAIN = /^(?!b64\.)([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const KEY = /^(?!hetzner\.cloud\/)([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
/** How much of a packed text one label holds. */
const CHUNK = 54;

/** Any text, as labels `name`, `name.1`, …: as it is where the vendor takes it, packed otherwise. */
export function packLabels(name: string, text: string): Labels {
  if (PLAIN.test(text)) return { [`${OURS}${name}`]: text };
  const code = Buffer.from(text).toString('base64url');
  const chunks = code.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? [];
  return Object.fromEntries(chunks.map((chunk, index) => [`${OURS}${name}${index ? `.${index}` : ''}`, `b64.${chunk}.e`]));
}

/** The text that was packed under a name; undefined where there is none. */
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

/** A short text as the value of one label. */
export const encodeLabel = (text: string): string =>
  PLAIN.test(text) ? text : text.length <= 40 ? `b64.${Buffer.from(text).toString('base64url')}.e` : `hash.${fingerprint(text)}`;

/** What everything that we make bears: whose it is, what, and who made it. */
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

/** Labels of the user's own: as they are where the vendor takes them, all others packed together. */
export function userLabels(labels: Labels): Labels {
  const rows = Object.entries(labels);
  const isPlain = ([key, value]: [string, string]) => KEY.test(key) && !key.startsWith(OURS) && PLAIN.test(value);
  const odd = rows.filter((row) => !isPlain(row));
  return { ...Object.fromEntries(rows.filter(isPlain)), ...(odd.length > 0 ? packLabels('labels', JSON.stringify(odd)) : {}) };
}

/** The user's labels among those of a resource. */
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

/** Our labels that are not about whose it is: they stay when the user's change. */
export const ourLabelsIn = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => key.startsWith(OURS) && !/^provisioning\.labels(\.\d+)?$/.test(key)));

/** The name that we gave: of a volume `<server>/<volume>`. */
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

/** The vendor's selector of what bears our names, whoever's it is unless the UUID is to be the same. */
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

/** Selects what a set-up made in a workspace. */
export const createOwnedSelector = (workspace: string, setup: string): string =>
  `${OURS}workspace==${encodeLabel(workspace)},${OURS}setup==${encodeLabel(setup)}`;

/** A name that is unique in a project, and can be a host's: at most 63 characters. */
export function hetznerName({ workspace, infra }: Scope, name: string): string {
  const words = [...(workspace === 'default' ? [] : [workspace]), infra, ...name.split('/')].join('-').toLowerCase();
  const clean = words.replace(/[^a-z0-9-]+/g, '-').replace(/^-+|-+$/g, '');
  return clean === words && clean.length <= 63 ? clean : `${clean.slice(0, 46).replace(/-+$/, '')}-${fingerprint(words)}`;
}

/** What a thing bears that is made along with servers, and nobody names. */
export const nameAndLabels = (kind: 'firewall' | 'address' | 'placement' | 'key', name: string, context: CreateContext) => ({
  name: hetznerName(context.scope, kind === 'placement' || kind === 'key' ? `${kind}-${name}` : name),
  labels: ownLabels(kind, name, context),
});

/** Throws `owned-by-another` for what bears another UUID, `name-taken` for what is not ours at all. */
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
