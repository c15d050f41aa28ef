import { inputError } from '../../core/errors.js';
import type { Call } from '../method.js';
import {
  type ChosenSecret,
  checkNoShare,
  checkWhole,
  chooseKeptSecret,
  type SecretPlace,
  type SecretScopeName,
} from './chosen-secret.js';
import { bringAll } from './rotate-authority.js';

interface RolledBack {
  scope: SecretScopeName;
  /** The number of the new version. */
  version: number;
  /** For an authority: the certificates that it signed again, with a new key each. */
  more: string[];
}

/**
 * Makes the value of an earlier version the newest one. The certificates of an authority follow it: those that the
 * authority of that version did not sign get a new key and its signature.
 *
 * @throws inputError `unknown-secret`, `unknown-version`; `bad-request` for a certificate of another authority than the
 *   present one
 */
export async function rollBackSecret(
  { engine, principal }: Pick<Call, 'engine' | 'principal'>,
  place: SecretPlace,
  to: number,
): Promise<RolledBack> {
  checkNoShare(place.name, 'roll the secret back');
  const chosen = await chooseKeptSecret(engine, place);
  const { secrets, kept, scope } = chosen;
  checkWhole(place.name, kept, 'roll back the secret');
  const versions = await secrets.history(kept);
  const value = await secrets.version(kept, to);
  if (value === undefined) {
    const why = `version ${to} is not stored; stored versions: ${versions.map(({ version }) => version).join(', ')}`;
    throw inputError({ code: 'unknown-version', what: 'roll back the secret', on: place.name, why });
  }
  const recipe = versions.find(({ version }) => version === to)?.recipe;
  if (recipe?.generate === 'certificate') await checkSigned(chosen, value, recipe.ca);
  const origin = { by: principal.actor, how: `rolled back to ${to}` };
  await secrets.set(kept, value, { ...origin, ...(recipe && { recipe }) });
  const followed = recipe?.generate === 'ca' ? await bringAll(chosen, value, origin) : [];
  const [newest] = await secrets.history(kept);
  return { scope, version: newest?.version ?? 1, more: followed.flatMap(({ name, isRenewed }) => (isRenewed ? [name] : [])) };
}

/** @throws inputError `bad-request` if the present authority did not sign the certificate: no client would trust it */
async function checkSigned({ store, kept }: ChosenSecret, pair: string, label: string): Promise<void> {
  const authority = await store.get(`${kept.split('/').slice(0, 3).join('/')}/ca/${label}`);
  if (authority === undefined) return;
  const { isSignedBy } = await import('../../secrets/generate/authority-steps.js');
  if (isSignedBy(pair, authority)) return;
  const why = `the present authority "${label}" did not sign this certificate`;
  const hint = `provisioning secret rotate ${kept}`;
  throw inputError({ code: 'bad-request', what: 'roll back the secret', on: kept, why, hint });
}
