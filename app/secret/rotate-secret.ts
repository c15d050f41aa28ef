import { inputError } from '../../core/errors.js';
import type { Recipe } from '../../core/schema/recipe.js';
import { recipeIn } from '../../core/taskserv/generated-names.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import type { ScopedSecrets } from '../../stores/secrets.js';
import type { Call } from '../method.js';
import { type ChosenSecret, checkNoShare, checkWhole, chooseKeptSecret, type SecretPlace } from './chosen-secret.js';
import { findOpenStep } from './open-step.js';
import { type AskedStep, listSigned, rotateAuthority, type TakenStep } from './rotate-authority.js';
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
  /** For an authority: the step that is taken. */
  rotation?: TakenStep;
  /** Certificates that get a new key with their authority. */
  more: string[];
  /** The infras whose services need the new value. */
  uses: SecretUse[];
}

/**
 * Gives a secret a new value. A rotation takes an authority, and the certificates that it signed, through one step.
 * Nothing is applied to hosts: `uses` names the services that need the new value.
 *
 * @param check only reports what would happen
 * @throws inputError `unknown-secret`, `bad-request`, `forbidden`
 */
export async function rotateSecret(
  call: Pick<Call, 'engine' | 'principal'>,
  place: SecretPlace,
  { value, recipe, step: asked }: NewValue & { step?: AskedStep | undefined },
  { check }: { check: boolean },
): Promise<Rotation> {
  const { chosen, own } = await checkedSecret(call, place);
  const bad = badOf(place);
  // Pairs are made in the folder of an infra, and an authority stays one: the certificates that it signed depend on it.
  if (recipe && (chosen.scope === 'generated' ? recipe.generate !== own.recipe?.generate : !isText(recipe)))
    throw bad('the recipe generates another kind of secret');
  const made = recipe ?? own.recipe;
  if (!check && !made && value === undefined) throw bad('a person chose the former value: give the new one');
  if (made && value !== undefined) throw bad('the value is generated: omit `value`');
  if (isAuthority(chosen, made)) {
    const { uses, ...taken } = await rotateAuthority(call, place, chosen, { asked, recipe: made, check });
    const version = check ? undefined : await newestVersion(own);
    return { ...taken, ...(version && { version }), uses: joined(uses) };
  }
  if (asked !== undefined) throw bad('it is not an authority, and only authorities are rotated in steps');
  const uses = joined(await findSecretUses(call, place, chosen, own.name));
  if (check) return { more: [], uses };
  const { createMaker } = await import('../../secrets/generate/makers.js');
  const text = made ? (await createMaker(chosen.store, own.name, made)).make() : (value ?? '');
  await own.secrets.set(own.name, text, { by: call.principal.actor, how: 'secret rotate', ...(made && { recipe: made }) });
  return { version: await newestVersion(own), more: [], uses };
}

/**
 * Finds the infras whose services need the present value of a secret, and for an authority also the uses of the
 * certificates that it signed.
 *
 * @throws inputError `unknown-secret`, `bad-request` for a secret that cannot be rotated, `forbidden`
 */
export async function findPresentUses(call: Pick<Call, 'engine' | 'principal'>, place: SecretPlace): Promise<SecretUse[]> {
  const { chosen, own } = await checkedSecret(call, place);
  const { recipe } = own;
  // Within a rotation these are the services that its present step changes.
  if (isAuthority(chosen, recipe) && (await findOpenStep(chosen)) !== undefined)
    return joined((await rotateAuthority(call, place, chosen, { asked: undefined, recipe, check: true })).uses);
  const signed = isAuthority(chosen, recipe) ? await listSigned(chosen, own.name) : [];
  const names = [own.name, ...signed.map(({ name }) => name)];
  return joined((await Promise.all(names.map((name) => findSecretUses(call, place, chosen, name)))).flat());
}

const isAuthority = ({ scope }: ChosenSecret, made: Recipe | undefined): made is Extract<Recipe, { generate: 'ca' }> =>
  scope === 'generated' && made?.generate === 'ca';

const badOf =
  ({ name }: SecretPlace) =>
  (why: string) =>
    inputError({ code: 'bad-request', what: 'rotate the secret', on: name, why });

/** Returns a secret that may get a new value, and its recipe. */
async function checkedSecret(
  { engine }: Pick<Call, 'engine'>,
  place: SecretPlace,
): Promise<{ chosen: ChosenSecret; own: Renewed }> {
  checkNoShare(place.name, 'rotate the secret');
  const chosen = await chooseKeptSecret(engine, place);
  const bad = badOf(place);
  if (chosen.scope === 'account') throw bad('the provider issues this credential: set its new value');
  checkWhole(place.name, chosen.kept, 'rotate the secret');
  if (await isFromEnvironment(chosen)) throw bad('the environment of the worker sets its value: unset it there');
  const { secrets, kept } = chosen;
  const [newest] = await secrets.history(kept);
  const recipe = newest?.recipe ?? (isGenerated(place.name) ? recipeIn(place.name) : undefined);
  return { chosen, own: { name: kept, secrets, ...(recipe && { recipe }) } };
}

async function newestVersion({ secrets, name }: Renewed): Promise<number> {
  const [newest] = await secrets.history(name);
  return newest?.version ?? 1;
}

/** Returns whether the value in use comes from the environment, which overrides the shared secrets in the store. */
async function isFromEnvironment({ secrets, kept, scope }: ChosenSecret): Promise<boolean> {
  if (scope !== 'shared') return false;
  const [newest] = await secrets.history(kept);
  return newest !== undefined && (await secrets.get(kept)) !== (await secrets.version(kept, newest.version));
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
