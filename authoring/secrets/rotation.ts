import { inputError } from '../../core/errors.js';
import type { Recipe } from '../../core/schema/recipe.js';
import { recipeIn } from '../../core/taskserv/generated-names.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import { environmentKey, type ScopedSecrets, type SecretStore } from '../../stores/secrets.js';
import type { Context } from '../context.js';
import type { Chosen } from './secret-scope.js';
import { type SecretUse, usesOf } from './secret-use.js';

/** A secret that is to have another value, with what goes by it. */
export interface Rotation {
  name: string;
  secrets: ScopedSecrets;
  /** From what another is made; absent where a person says the value. */
  recipe?: Recipe;
}

/** An infra and what is changed in it. */
export interface Affected {
  infra: string;
  servers: string[];
  taskservs: string[];
  /** `redis on web-1`. */
  places: string[];
}

/** Refuses what `secret rotate` is not for. @throws an input error `bad-arguments` */
export function checkRotates({ env }: Context, name: string, { scope }: Chosen): void {
  const bad = (why: string, hint: string) => inputError({ code: 'bad-arguments', what: 'rotate the secret', on: name, why, hint });
  if (scope === 'account')
    throw bad('it is a credential of an account, which its provider gives', `provisioning secret set ${name}`);
  const variable = environmentKey(name);
  // The next `apply` from this environment would bring its value again.
  if (env[variable] !== undefined) throw bad('this environment gives its value', `unset ${variable}`);
}

/** What has to be made again: the secret, and of an authority the certificates that it signed. */
export async function rotationsOf(store: SecretStore, name: string, { secrets }: Chosen): Promise<Rotation[]> {
  const [newest] = await secrets.history(name);
  const recipe = newest?.recipe ?? (isGenerated(name) ? recipeIn(name) : undefined);
  const own: Rotation = { name, secrets, ...(recipe && { recipe }) };
  if (!isGenerated(name) || recipe?.generate !== 'ca') return [own];
  const folder = `${name.split('/').slice(0, 3).join('/')}/certificate/`;
  const certificates = (await store.list()).filter((one) => one.startsWith(folder));
  const signed: Rotation[] = [];
  for (const certificate of certificates) {
    const [last] = await store.history(certificate);
    if (last?.recipe?.generate === 'certificate' && last.recipe.ca === recipe.name)
      signed.push({ name: certificate, secrets: store, recipe: last.recipe });
  }
  return [own, ...signed];
}

/** The infras whose services use any of them, by name; or why that is not known. */
export async function affectedBy(
  context: Context,
  store: SecretStore,
  rotations: readonly Rotation[],
  whose: { scope: string; infra?: string },
): Promise<Affected[] | { why: string }> {
  const all = new Map<string, SecretUse[]>();
  for (const { name } of rotations) {
    const found = await usesOf(context, store, { ...whose, name });
    if ('why' in found) return found;
    for (const use of found.uses) all.set(use.infra, [...(all.get(use.infra) ?? []), use]);
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([infra, uses]) => affected(infra, uses));
}

function affected(infra: string, uses: readonly SecretUse[]): Affected[] {
  const services = uses.flatMap((use) => use.services);
  if (services.length === 0) return [];
  const each = (values: string[]) => [...new Set(values)].sort();
  return [
    {
      infra,
      servers: each(services.map(({ server }) => server)),
      taskservs: each(services.map(({ taskserv }) => taskserv)),
      places: each(services.map(({ server, taskserv }) => `${taskserv} on ${server}`)),
    },
  ];
}

/**
 * Keeps new values, each as a version of its own. An authority comes before the certificates that it signs.
 *
 * @param value of the first, where a person says it
 * @returns the number of the first's version
 */
export async function renew(
  { actor }: Pick<Context, 'actor'>,
  store: SecretStore,
  rotations: readonly Rotation[],
  value?: string,
): Promise<number> {
  const { makerOf } = await import('../../secrets/generate/makers.js');
  for (const { name, secrets, recipe } of rotations) {
    const made = recipe && (await makerOf(store, name, recipe)).make();
    await secrets.set(name, made ?? value ?? '', { by: actor, how: 'secret rotate', ...(recipe && { recipe }) });
  }
  const [first] = rotations;
  return (await first?.secrets.history(first.name))?.[0]?.version ?? 0;
}
