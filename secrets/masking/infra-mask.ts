import type { AnyProvider } from '../../core/machine/provider.js';
import { parseGeneratedName } from '../../core/taskserv/generated-names.js';
import { formatGeneratedPrefix, isGenerated, type SecretScope } from '../../core/taskserv/secret-reach.js';

// Values that members of a group make for others are masked as secrets are.

import { isShare, listSecretLines } from '../../core/taskserv/groups/share.js';
import type { ScopedName, ScopedSecrets, SecretStore } from '../../stores/secrets.js';
import { createMatcher, type Mask, type Matcher, maskBy } from './masking.js';

/** Sources of the masked values. */
export interface MaskSource {
  secrets: Pick<SecretStore, 'get' | 'list' | 'listScoped'> & { within(scope: SecretScope): Pick<ScopedSecrets, 'get'> };
  providers: Readonly<Record<string, Pick<AnyProvider, 'variables'>>>;
  /** Environment with further secrets and credentials. Default: the process's. */
  env?: Readonly<Record<string, string | undefined>>;
}

/** Mask of an infra, to which new values can be added. */
export interface InfraMask extends Mask {
  add(value: string): void;
  /** Returns a mask with these values added. */
  with(values: readonly string[]): Mask;
}

/** Milliseconds during which the store is not queried again; a new operation always queries it. */
const FRESH_MS = 5_000;
/** Maximum number of cached masks. */
const MOST_KEPT = 1_000;

interface Kept {
  mask: InfraMask;
  /** Operation and time of the store's last query. */
  asked?: { by: string; at: number };
  asking?: Promise<void>;
  take(values: readonly string[]): void;
}

const keptOf = new WeakMap<object, Map<string, Kept>>();

/**
 * Returns the mask of an infra. It hides every value that may be on one of its hosts or reach its activities. These are
 * the secrets of the infra and its workspace, shared and generated secrets, credentials of accounts, and secrets of the
 * environment. Values that the store cannot open are omitted.
 *
 * @param operation queries the store at its first use, and every few seconds
 */
export async function infraMask(source: MaskSource, scope: Required<SecretScope>, operation: string): Promise<InfraMask> {
  const { secrets } = source;
  const masks = keptOf.get(secrets) ?? new Map<string, Kept>();
  keptOf.set(secrets, masks);
  const name = `${scope.workspace}/${scope.infra}`;
  const kept = masks.get(name) ?? newMask();
  if (!masks.has(name) && masks.size >= MOST_KEPT) masks.delete(masks.keys().next().value ?? '');
  masks.set(name, kept);
  const { asked } = kept;
  if (!asked || asked.by !== operation || Date.now() - asked.at > FRESH_MS) {
    kept.asking ??= valuesFor(source, scope)
      .then((values) => {
        kept.take(values);
        kept.asked = { by: operation, at: Date.now() };
      })
      .finally(() => {
        kept.asking = undefined;
      });
    await kept.asking;
  }
  return kept.mask;
}

function newMask(): Kept {
  let known = new Set<string>();
  let matcher: Matcher | undefined = createMatcher([]);
  const added = new Set<string>();
  const current = () => {
    matcher ??= createMatcher([...known, ...added]);
    return matcher;
  };
  return {
    mask: {
      ...maskBy(() => [current()]),
      add(value) {
        if (known.has(value) || added.has(value)) return;
        added.add(value);
        matcher = undefined;
      },
      with(values) {
        const more = createMatcher(values);
        return maskBy(() => [current(), more]);
      },
    },
    take(values) {
      const isSame = values.length === known.size && values.every((value) => known.has(value));
      if (isSame) return;
      known = new Set(values);
      // Values that were given to a host stay in `added`: hosts may have them longer than the store.
      matcher = undefined;
    },
  };
}

async function valuesFor({ secrets, providers, env = process.env }: MaskSource, scope: Required<SecretScope>): Promise<string[]> {
  const { workspace, infra } = scope;
  const { shared, scoped } = await namesIn(secrets, workspace);
  const own = shared.filter((name) => !isGenerated(name) || name.startsWith(formatGeneratedPrefix(scope)));
  const near = scoped.filter((one) => one.infra === undefined || one.infra === infra);
  const opened = await Promise.all([
    ...own.map(async (name) => secretPartsOf(name, (await secrets.get(name).catch(() => undefined)) ?? '')),
    ...near.map(async (one) => {
      const within = secrets.within(one.infra === undefined ? { workspace } : scope);
      const value = (await within.get(one.name).catch(() => undefined)) ?? '';
      return isShare(one.name) ? listSecretLines(value) : [value];
    }),
  ]);
  // `HCLOUD_TOKEN`, or `HCLOUD_TOKEN_PROD` for a named account.
  const variables = Object.values(providers).flatMap((provider) => Object.keys(provider.variables ?? {}));
  const isGiven = (name: string) => variables.some((one) => name === one || name.startsWith(`${one}_`));
  const given = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (name.startsWith('PROVISIONING_SECRET_') || isGiven(name)) ? [value] : [],
  );
  return [...new Set([...opened.flat(), ...given])].filter(Boolean).sort();
}

interface Names {
  shared: string[];
  scoped: ScopedName[];
}

/** Lists of names by store and workspace, which a thousand infras would otherwise each read. */
const namesOf = new WeakMap<object, Map<string, { at: number; names: Promise<Names> }>>();

function namesIn(secrets: MaskSource['secrets'], workspace: string): Promise<Names> {
  const lists = namesOf.get(secrets) ?? new Map();
  namesOf.set(secrets, lists);
  const known = lists.get(workspace);
  if (known && Date.now() - known.at < 1_000) return known.names;
  const names = Promise.all([secrets.list(), secrets.listScoped(workspace)]).then(([shared, scoped]) => ({ shared, scoped }));
  names.catch(() => lists.delete(workspace));
  lists.set(workspace, { at: Date.now(), names });
  return names;
}

const PRIVATE = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g;

/**
 * Returns the secret parts of a stored value: only the private key of a generated pair, since certificates are public.
 */
export function secretPartsOf(name: string, value: string): string[] {
  if (!['ca', 'certificate', 'ssh-key'].includes(parseGeneratedName(name).kind)) return [value];
  return value.match(PRIVATE) ?? [value];
}
