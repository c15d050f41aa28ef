import { inputError, unreachableError } from '../../core/errors.js';
import { parseGeneratedName } from '../../core/taskserv/generated-names.js';
import { isShare } from '../../core/taskserv/groups/share.js';
import { isCredential, isGenerated } from '../../core/taskserv/secret-reach.js';
import { findTenant } from '../../core/tenant-names.js';
import { registries } from '../../definition/registries/registries.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { checkSecretName, checkSecretScope, type ScopedSecrets, type SecretStore } from '../../stores/secrets.js';
import type { Engine } from '../engine.js';

/** The secret that a call is about. Without `infra` and `shared` it belongs to the whole workspace. */
export interface SecretPlace {
  workspace: string;
  name: string;
  infra?: string | undefined;
  shared?: boolean | undefined;
}

/** Users of a secret: `account` is a credential only for the worker, `generated` names its infra. */
export type SecretScopeName = 'infra' | 'workspace' | 'shared' | 'account' | 'generated';

export interface ChosenSecret {
  store: SecretStore;
  /** The secrets of its scope. */
  secrets: ScopedSecrets;
  scope: SecretScopeName;
  /** The stored name: a part of a generated pair is stored under the name of the pair. */
  kept: string;
}

/** A secret as a list names it, without its value. */
export interface ListedSecret {
  name: string;
  scope: Exclude<SecretScopeName, 'generated'>;
  infra?: string;
}

/** @throws unreachableError `no-worker` if the caller has no worker beside its stores */
export function requireSecretStore({ stores }: Engine): SecretStore {
  if (stores.secrets) return stores.secrets;
  const why = 'no worker of this home runs, and methods read secrets where the worker is';
  throw unreachableError({ code: 'no-worker', what: 'open the secrets', why, hint: 'provisioning up' });
}

/**
 * Finds the scope of a secret, whether it is set or not. Credentials and generated secrets have their scope in their names.
 *
 * @throws inputError `secret-name`, `secret-scope`, `bad-request` for a scope that does not fit the name
 */
export async function chooseSecret(engine: Engine, { workspace, name, infra, shared }: SecretPlace): Promise<ChosenSecret> {
  checkSecretName(name);
  const store = requireSecretStore(engine);
  const { kept } = parseGeneratedName(name);
  const bad = (why: string) => inputError({ code: 'bad-request', what: 'find the secret', on: name, why });
  checkScope({ workspace, infra, shared });
  const named = await scopeByName(name);
  if (named && infra !== undefined) throw bad('the name already contains the scope: omit `infra`');
  if (named === 'generated' && shared) throw bad('the name already contains the scope: omit `shared`');
  if (named === 'generated' && name.split('/')[1] !== workspace) throw unknown(name, 'it was generated for another workspace');
  if (named) return { store, secrets: store, scope: named, kept };
  if (shared) return { store, secrets: store, scope: 'shared', kept };
  const scope = infra === undefined ? 'workspace' : 'infra';
  return { store, secrets: store.within({ workspace, ...(infra !== undefined && { infra }) }), scope, kept };
}

/** @throws inputError `bad-request` for a share of a group: only a member of the group makes its values */
export function checkNoShare(name: string, what: string): void {
  if (isShare(name)) throw inputError({ code: 'bad-request', what, on: name, why: 'a member of a group makes this value' });
}

/** @throws inputError `secret-scope`, `bad-request` for a scope that cannot be */
export function checkScope({ workspace, infra, shared }: Omit<SecretPlace, 'name'>): void {
  checkSecretScope({ workspace, ...(infra !== undefined && { infra }) });
  if (infra === undefined || !shared) return;
  throw inputError({ code: 'bad-request', what: 'find the secrets', on: infra, why: '`infra` and `shared` exclude each other' });
}

/**
 * Chooses a secret like `chooseSecret`, if it is set.
 *
 * @throws inputError `unknown-secret`, with the other scopes that have it
 */
export async function chooseKeptSecret(engine: Engine, place: SecretPlace): Promise<ChosenSecret> {
  const chosen = await chooseSecret(engine, place);
  const { workspace, name, infra } = place;
  const isKept =
    chosen.secrets === chosen.store
      ? (await chosen.store.list()).includes(chosen.kept)
      : (await chosen.store.listScoped(workspace)).some((one) => one.name === name && one.infra === infra);
  if (isKept) return chosen;
  const visible = await listSecrets(engine, workspace);
  // A right to shared secrets includes no right to the names of a workspace.
  const isCommon = chosen.scope === 'shared' || chosen.scope === 'account';
  const all = isCommon ? visible.filter(({ scope }) => scope === 'shared' || scope === 'account') : visible;
  const elsewhere = all.find((one) => one.name === name);
  const where = elsewhere?.infra === undefined ? elsewhere?.scope : `infra ${elsewhere.infra}`;
  throw unknown(
    name,
    `the secret is not set for ${infra === undefined ? (chosen.scope === 'workspace' ? `workspace ${workspace}` : chosen.scope) : `infra ${infra}`}`,
    where === undefined ? didYouMean(name, new Set(all.map((one) => one.name))) : `it is set for: ${where}`,
  );
}

/** @throws inputError `bad-request` for a part of a generated pair, which changes as a whole */
export function checkWhole(name: string, kept: string, what: string): void {
  if (name === kept) return;
  throw inputError({ code: 'bad-request', what, on: name, why: `it is a part of a generated pair: name the pair, ${kept}` });
}

/** All secrets that a workspace can see: its own, those of its infras, and the shared ones. */
export async function listSecrets(engine: Engine, workspace: string): Promise<ListedSecret[]> {
  checkSecretScope({ workspace });
  const store = requireSecretStore(engine);
  const { providers } = await registries();
  const [scoped, all] = await Promise.all([store.listScoped(workspace), store.list()]);
  // A tenant does not see secrets that the home shares among its workspaces.
  const others = findTenant(workspace) === '' ? all : all.filter(isGenerated);
  const listed = [
    ...scoped.map(({ name, infra }): ListedSecret => (infra ? { name, scope: 'infra', infra } : { name, scope: 'workspace' })),
    ...others.flatMap((name): ListedSecret[] => {
      if (isCredential(name, providers)) return [{ name, scope: 'account' }];
      if (!isGenerated(name)) return [{ name, scope: 'shared' }];
      const [, whose, infra = ''] = name.split('/');
      return whose === workspace ? [{ name, scope: 'infra', infra }] : [];
    }),
  ];
  return listed.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

async function scopeByName(name: string): Promise<'account' | 'generated' | undefined> {
  if (isGenerated(name)) return 'generated';
  return isCredential(name, (await registries()).providers) ? 'account' : undefined;
}

const unknown = (on: string, why: string, hint?: string) =>
  inputError({ code: 'unknown-secret', what: 'find the secret', on, why, ...(hint && { hint }) });
