import { inputError } from '../../core/errors.js';
import type { Recipe } from '../../core/schema/recipe.js';
import { recipeIn } from '../../core/taskserv/generated-names.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import type { ScopedSecrets } from '../../stores/secrets.js';
import type { Call } from '../method.js';
import { type ChosenSecret, checkWhole, chooseKeptSecret, type SecretPlace } from './chosen-secret.js';
import { findSecretUses, type SecretUse } from './secret-use.js';

const isText = ({ generate }: Recipe): boolean => generate === 'password' || generate === 'token';

/** How the new value is made: by a recipe, or as a person gave it. Without both, as the former one was made. */
export interface NewValue {
  value?: string | undefined;
  recipe?: Recipe | undefined;
}

/** A secret that gets another value. */
interface Renewed {
  name: string;
  secrets: ScopedSecrets;
  recipe?: Recipe;
}

export interface Rotation {
  /** The number of the new version; absent if only checked. */
  version?: number;
  /** Further secrets that got another value: certificates that an authority signed. */
  more: string[];
  /** The infras whose services need the new value. */
  uses: SecretUse[];
}

/**
 * Gives a secret another value, and certificates of an authority with it. Nothing is applied to hosts: `uses` names the
 * services that need the new value.
 *
 * @param check only says what would happen
 * @throws inputError `unknown-secret`, `bad-request`, `forbidden`
 */
export async function rotateSecret(
  call: Pick<Call, 'engine' | 'principal'>,
  place: SecretPlace,
  { value, recipe }: NewValue,
  { check }: { check: boolean },
): Promise<Rotation> {
  const chosen = await chooseKeptSecret(call.engine, place);
  const bad = (why: string) => inputError({ code: 'bad-request', what: 'rotate the secret', on: place.name, why });
  if (chosen.scope === 'account') throw bad('the provider issues this credential: set its new value');
  checkWhole(place.name, chosen.kept, 'rotate the secret');
  if (await isFromEnvironment(chosen)) throw bad('the environment of the worker sets its value: unset it there');
  const [own, ...signed] = await renewedBy(place.name, chosen);
  // Pairs are made in the folder of an infra, and an authority stays one: the certificates that it signed depend on it.
  if (recipe && (chosen.scope === 'generated' ? recipe.generate !== own.recipe?.generate : !isText(recipe)))
    throw bad('the recipe generates another kind of secret');
  const made = recipe ?? own.recipe;
  const renewed: Renewed[] = [{ ...own, ...(made && { recipe: made }) }, ...signed];
  if (!check && !made && value === undefined) throw bad('a person chose the former value: give the new one');
  if (made && value !== undefined) throw bad('the value is generated: omit `value`');
  const uses = await Promise.all(renewed.map(({ name }) => findSecretUses(call, place, chosen, name)));
  const more = signed.map(({ name }) => name);
  if (check) return { more, uses: joined(uses.flat()) };
  const { createMaker } = await import('../../secrets/generate/makers.js');
  for (const one of renewed) {
    const text = one.recipe ? (await createMaker(chosen.store, one.name, one.recipe)).make() : (value ?? '');
    await one.secrets.set(one.name, text, {
      by: call.principal.actor,
      how: 'secret rotate',
      ...(one.recipe && { recipe: one.recipe }),
    });
  }
  const [newest] = await own.secrets.history(own.name);
  return { version: newest?.version ?? 1, more, uses: joined(uses.flat()) };
}

/** Whether the value in use is none that is stored: the environment goes before what all workspaces share. */
async function isFromEnvironment({ secrets, kept, scope }: ChosenSecret): Promise<boolean> {
  if (scope !== 'shared') return false;
  const [newest] = await secrets.history(kept);
  return newest !== undefined && (await secrets.get(kept)) !== (await secrets.version(kept, newest.version));
}

/** The secret itself, and the certificates that it signed if it is an authority. */
async function renewedBy(name: string, { store, secrets, kept }: ChosenSecret): Promise<[Renewed, ...Renewed[]]> {
  const [newest] = await secrets.history(kept);
  const recipe = newest?.recipe ?? (isGenerated(name) ? recipeIn(name) : undefined);
  const own: Renewed = { name: kept, secrets, ...(recipe && { recipe }) };
  if (!isGenerated(name) || recipe?.generate !== 'ca') return [own];
  const folder = `${name.split('/').slice(0, 3).join('/')}/certificate/`;
  const signed: Renewed[] = [];
  for (const certificate of (await store.list()).filter((one) => one.startsWith(folder))) {
    const [last] = await store.history(certificate);
    if (last?.recipe?.generate === 'certificate' && last.recipe.ca === recipe.name)
      signed.push({ name: certificate, secrets: store, recipe: last.recipe });
  }
  return [own, ...signed];
}

/** Each infra once, by name. */
function joined(uses: readonly SecretUse[]): SecretUse[] {
  const byInfra = new Map<string, SecretUse>();
  for (const { infra, places, services } of uses) {
    const known = byInfra.get(infra) ?? { infra, places: [], services: [] };
    const others = services.filter(
      ({ server, taskserv }) => !known.services.some((one) => one.server === server && one.taskserv === taskserv),
    );
    byInfra.set(infra, {
      infra,
      places: [...new Set([...known.places, ...places])].sort(),
      services: [...known.services, ...others],
    });
  }
  return [...byInfra.values()].sort((a, b) => (a.infra < b.infra ? -1 : 1));
}
