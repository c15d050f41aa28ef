import { inputError } from '../../core/errors.js';
import { isCredential, isGenerated } from '../../core/taskserv/secret-reach.js';
import { registries } from '../../definition/registries/registries.js';
import type { ScopedName, ScopedSecrets, SecretStore } from '../../stores/secrets.js';
import type { Context } from '../context.js';

/** The secrets that a command is about, and for whom they are. */
export interface Chosen {
  secrets: ScopedSecrets;
  /** `infra shop`, `workspace default`, `shared`, `account`. */
  scope: string;
}

/**
 * Where a secret of this name is kept. Credentials of accounts and generated secrets
 * say by their names whose they are. @throws an input error `bad-arguments`
 */
export async function chooseScope(
  context: Context,
  store: SecretStore,
  name: string,
  { infra, shared }: { infra?: string; shared?: boolean },
): Promise<Chosen> {
  const { workspace } = context;
  const scope = await scopeByName(name);
  const bad = (why: string) => inputError({ code: 'bad-arguments', what: 'read the command line', why });
  if (infra && shared) throw bad('--infra and --shared exclude each other');
  if (scope && infra)
    throw bad(`"${name}" is ${scope === 'account' ? 'a credential of an account' : 'generated'}: leave out --infra`);
  if (scope) return { secrets: store, scope };
  if (shared) return { secrets: store, scope: 'shared' };
  return infra
    ? { secrets: store.within({ workspace, infra }), scope: `infra ${infra}` }
    : { secrets: store.within({ workspace }), scope: `workspace ${workspace}` };
}

async function scopeByName(name: string): Promise<'account' | 'generated' | undefined> {
  if (isGenerated(name)) return 'generated';
  return isCredential(name, (await registries()).providers) ? 'account' : undefined;
}

/** Whether it is kept there; one of the environment is not. */
export async function isKept(
  { workspace }: Context,
  store: SecretStore,
  name: string,
  { secrets }: Chosen,
  infra?: string,
): Promise<boolean> {
  if (secrets === store) return (await store.list()).includes(name);
  return (await store.listScoped(workspace)).some((one) => one.name === name && one.infra === infra);
}

export interface ListedSecret {
  name: string;
  scope: 'infra' | 'workspace' | 'shared' | 'account';
  infra?: string;
}

/** What is kept for a workspace: its own, those of its infras, and what all share. */
export async function listSecrets({ workspace }: Context, store: SecretStore): Promise<ListedSecret[]> {
  const { providers } = await registries();
  const own = (await store.listScoped(workspace)).map(
    ({ name, infra }: ScopedName): ListedSecret => (infra ? { name, scope: 'infra', infra } : { name, scope: 'workspace' }),
  );
  const others = (await store.list()).flatMap((name): ListedSecret[] => {
    if (isCredential(name, providers)) return [{ name, scope: 'account' }];
    if (!isGenerated(name)) return [{ name, scope: 'shared' }];
    const [, whose, infra = ''] = name.split('/');
    return whose === workspace ? [{ name, scope: 'infra', infra }] : [];
  });
  return [...own, ...others].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
