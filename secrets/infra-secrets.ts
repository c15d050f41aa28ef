import { inputError } from '../core/errors.js';
import type { AnyProvider } from '../core/machine/provider.js';
import { parseGeneratedName, recipeIn } from '../core/taskserv/generated-names.js';
import { explainOutOfReach, isGenerated, type SecretScope } from '../core/taskserv/secret-reach.js';
import { findTenant } from '../core/tenant-names.js';
import type { ScopedSecrets, SecretStore } from '../stores/secrets.js';
import { type InfraMask, infraMask } from './masking/infra-mask.js';

/** The secrets that definitions of one infra can refer to. */
export interface InfraSecrets extends Pick<SecretStore, 'get'> {
  /** The value that goes to a host: generated where it was not yet, and kept as read. Undefined where it is not set. */
  give(name: string): Promise<string | undefined>;
  /** Hides all secrets of the infra, whichever service they are for. */
  mask(): Promise<InfraMask>;
}

/** What is asked of a store for an infra. */
type Source = Pick<SecretStore, 'get' | 'ensureGenerated' | 'noteRead' | 'list' | 'listScoped'> & {
  within(scope: SecretScope): Pick<ScopedSecrets, 'get' | 'noteRead'>;
};

/** Who is given secrets: an operation, for a server. */
export interface Reader {
  operation: string;
  host: string;
}

/**
 * Looks for a secret among those of the infra, then of its workspace, then among the
 * shared ones, where the environment's win. Throws the input error `secret-out-of-reach`
 * for credentials of accounts, and for what was generated for another infra.
 *
 * @param reader asked when a secret is given
 */
export function infraSecrets(
  store: Source,
  { workspace, infra }: Required<SecretScope>,
  providers: Readonly<Record<string, Pick<AnyProvider, 'variables'>>>,
  reader: () => Reader,
): InfraSecrets {
  const scope = { workspace, infra };
  const check = (name: string) => {
    const why = explainOutOfReach(name, scope, providers);
    if (why) throw inputError({ code: 'secret-out-of-reach', what: 'resolve the secret', on: name, why });
  };
  const find = async (name: string) => {
    check(name);
    if (isGenerated(name)) {
      const { kept } = parseGeneratedName(name);
      const value = await store.get(kept);
      return value === undefined ? undefined : { place: store, kept, value: await partIn(name, value) };
    }
    // What the workspaces of the home share is not for those of tenants.
    const shared = findTenant(workspace) === '' ? [store] : [];
    for (const place of [store.within(scope), store.within({ workspace }), ...shared]) {
      const value = await place.get(name);
      if (value !== undefined) return { place, kept: name, value };
    }
    return undefined;
  };
  const mask = () => infraMask({ secrets: store, providers }, scope, reader().operation);
  return {
    get: async (name) => (await find(name))?.value,
    mask,
    async give(name) {
      check(name);
      if (isGenerated(name)) await ensureMade(store, name);
      const found = await find(name);
      if (!found) return undefined;
      const { operation, host } = reader();
      // Whatever prints it from now on, for whichever service, is masked.
      (await mask()).add(found.value);
      // Before the value is: what cannot be noted is not given.
      await noteOnce(store, [operation, host, name].join(' '), () =>
        found.place.noteRead(found.kept, { at: new Date().toISOString(), by: operation, how: 'operation', host, workspace, infra }),
      );
      return found.value;
    },
  };
}

/** Makes what its name tells how; a certificate is made by who submits the definition that says of what it is. */
async function ensureMade(store: Source, name: string): Promise<void> {
  const { kept } = parseGeneratedName(name);
  const recipe = recipeIn(name);
  if (!recipe) return;
  const { createMaker } = await import('./generate/makers.js');
  await store.ensureGenerated(kept, await createMaker(store, kept, recipe));
}

/**
 * What a reference to a generated secret stands for.
 *
 * @param value what is kept
 * @throws an input error `secret-out-of-reach` where it has no such part
 */
export async function partIn(name: string, value: string): Promise<string> {
  if (parseGeneratedName(name).kept === name) return value;
  return (await import('./generate/makers.js')).partOf(name, value);
}

/** Of an operation that looks at a host again and again, the first read is noted. */
const NOTED = 10_000;
const notedOf = new WeakMap<object, Set<string>>();

async function noteOnce(store: object, read: string, note: () => Promise<void>): Promise<void> {
  const noted = notedOf.get(store) ?? new Set();
  notedOf.set(store, noted);
  if (noted.has(read)) return;
  await note();
  if (noted.size >= NOTED) noted.clear();
  noted.add(read);
}
