import { inputError } from '../../core/errors.js';
import type { Recipe } from '../../core/schema/recipe.js';
import type { AuthorityStep, CertificateRecipe, OpenStep } from '../../secrets/generate/authority-steps.js';
import type { Call } from '../method.js';
import type { ChosenSecret, SecretPlace } from './chosen-secret.js';
import { findSecretUses, type SecretUse } from './secret-use.js';

/**
 * Requested step of an authority: the step after the present one, or all steps at once. Without a request a rotation
 * begins, or its present step is repeated.
 */
export type AskedStep = 'next' | 'at-once';

/** The step that a rotation takes. */
export interface TakenStep {
  step: AuthorityStep;
  /** The authority is in this step already: only certificates that do not follow it yet are updated. */
  repeated: boolean;
}

/** A certificate that an authority signed. */
export interface SignedCertificate {
  name: string;
  recipe: CertificateRecipe;
}

/** A certificate that does not follow its authority. */
interface Changed {
  name: string;
  /** It gets a new key and a new certificate. Otherwise only its list of authorities changes. */
  isRenewed: boolean;
}

/** The certificates that an authority of an infra signed. @param name of the authority, without a part */
export async function listSigned({ store }: Pick<ChosenSecret, 'store'>, name: string): Promise<SignedCertificate[]> {
  const [, , , , label] = name.split('/');
  const folder = `${name.split('/').slice(0, 3).join('/')}/certificate/`;
  const signed: SignedCertificate[] = [];
  for (const certificate of (await store.list()).filter((one) => one.startsWith(folder))) {
    const [last] = await store.history(certificate);
    if (last?.recipe?.generate === 'certificate' && last.recipe.ca === label)
      signed.push({ name: certificate, recipe: last.recipe });
  }
  return signed;
}

/**
 * Takes an authority and the certificates that it signed through one step of a rotation. Certificates come first. The
 * authority, which records the step, comes last: after an interruption the step is repeated.
 *
 * @param check only reports what would happen
 * @returns the certificates that get a new key, and the users of changed values
 * @throws inputError `bad-request` for a step that cannot be taken now
 */
export async function rotateAuthority(
  call: Pick<Call, 'engine' | 'principal'>,
  place: SecretPlace,
  chosen: ChosenSecret,
  { asked, recipe, check }: { asked: AskedStep | undefined; recipe: Extract<Recipe, { generate: 'ca' }>; check: boolean },
): Promise<{ rotation: TakenStep; more: string[]; uses: SecretUse[] }> {
  const { stepIn, takeStep, nextStep } = await import('../../secrets/generate/authority-steps.js');
  const { store, kept } = chosen;
  const present = (await store.get(kept)) ?? '';
  const open = stepIn(present);
  if (asked === 'next') await checkContinues(chosen, present, open);
  const step = asked === 'at-once' ? asked : asked === 'next' || open === undefined ? nextStep(open) : open;
  const repeated = asked === undefined && open !== undefined;
  const [newest] = await store.history(kept);
  const authority = repeated ? present : takeStep(present, step, recipe, (newest?.version ?? 0) + 1);

  const by = { by: call.principal.actor, how: `secret rotate, ${describeStep(step)}` };
  const changed = await bringAll(chosen, authority, check ? undefined : by);
  if (!check) {
    await store.set(kept, authority, { ...by, recipe });
    // One that was made in between is of the step before.
    await bringAll(chosen, authority, by);
  }
  const uses = await findUses(call, place, chosen, { step, repeated }, changed);
  const more = changed.filter(({ isRenewed }) => isRenewed).map(({ name }) => name);
  return { rotation: { step, repeated }, more, uses };
}

/**
 * Updates all certificates of an authority to its step.
 *
 * @param authority its stored value
 * @param origin absent: only reports which would change
 */
export async function bringAll(
  chosen: ChosenSecret,
  authority: string,
  origin: { by: string; how: string } | undefined,
): Promise<Changed[]> {
  const { followAuthority } = await import('../../secrets/generate/authority-steps.js');
  const { keysIn } = await import('../../secrets/generate/certificates.js');
  const { store, kept } = chosen;
  const changed: Changed[] = [];
  for (const { name, recipe } of await listSigned(chosen, kept)) {
    const pair = (await store.get(name)) ?? '';
    const next = followAuthority(pair, authority, recipe);
    if (next === pair) continue;
    changed.push({ name, isRenewed: keysIn(next)[0] !== keysIn(pair)[0] });
    if (origin) await store.set(name, next, { ...origin, recipe });
  }
  return changed;
}

/** Finds the users of the values that a step changes. A repeated step includes all changes of the rotation so far. */
async function findUses(
  call: Pick<Call, 'engine' | 'principal'>,
  place: SecretPlace,
  chosen: ChosenSecret,
  { step, repeated }: TakenStep,
  changed: readonly Changed[],
): Promise<SecretUse[]> {
  const changesTrust = step !== 'issue' || repeated;
  const changesPairs = step === 'at-once' || (step === 'issue' && repeated);
  const renewed = new Set(changed.filter(({ isRenewed }) => isRenewed).map(({ name }) => name));
  const uses: SecretUse[] = [];
  if (changesTrust) uses.push(...(await findSecretUses(call, place, chosen, chosen.kept)));
  for (const { name } of await listSigned(chosen, chosen.kept)) {
    const isPair = changesPairs || renewed.has(name);
    if (!isPair && !changesTrust) continue;
    const isMeant = (part: string | undefined) => (part === 'authority' ? changesTrust : isPair);
    uses.push(...(await findSecretUses(call, place, chosen, name, isMeant)));
  }
  return uses;
}

/** @throws inputError `bad-request` if no rotation is under way, or a certificate is not at the present step yet */
async function checkContinues(chosen: ChosenSecret, present: string, open: OpenStep | undefined): Promise<void> {
  const { kept } = chosen;
  const bad = (why: string, hint: string) =>
    inputError({ code: 'bad-request', what: 'continue the rotation', on: kept, why, hint });
  if (open === undefined) throw bad('no rotation of this authority is under way', `provisioning secret rotate ${kept}`);
  const [behind] = await bringAll(chosen, present, undefined);
  if (behind) throw bad(`${behind.name} does not follow the present step`, `repeat it: provisioning secret rotate ${kept}`);
}

/** How the history of the secret names a step. */
const describeStep = (step: AuthorityStep): string =>
  step === 'at-once' ? 'at once' : `step ${['trust', 'issue', 'finish'].indexOf(step) + 1} of 3 (${step})`;
