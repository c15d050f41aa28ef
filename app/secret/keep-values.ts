import { createHmac } from 'node:crypto';
import { inputError } from '../../core/errors.js';
import type { Recipe } from '../../core/schema/recipe.js';
import { parseGeneratedName } from '../../core/taskserv/generated-names.js';
import { formatGeneratedPrefix, isGenerated, type SecretScope } from '../../core/taskserv/secret-reach.js';
import { GIVEN_PREFIX } from '../../definition/reference-kinds.js';
import { checkSecretName, checkSecretScope, type SecretStore } from '../../stores/secrets.js';
import type { Engine } from '../engine.js';
import { requireSecretStore } from './chosen-secret.js';

/** Values that a definition takes from other sources, and values that it generates. */
export interface KeptWith {
  /** Values by the names of their references: `given/sops/…`. */
  values?: Readonly<Record<string, string>> | undefined;
  generated?: readonly { name: string; recipe: Recipe }[] | undefined;
}

/**
 * Generates the secrets of a definition that do not exist yet, and stores the values from outside the definition for
 * its infra. A different value gets a different name, so that all its users are changed. The name is a keyed hash.
 * Without the key, which is a secret too, it discloses nothing about the value.
 *
 * @returns the name of each value, by the name of its reference
 * @throws inputError `secret-name`, `secret-scope`, `bad-request` for a name that is not of this infra. Nothing is
 * stored then
 */
export async function keepValues(
  engine: Engine,
  { workspace, infra }: Required<SecretScope>,
  { values = {}, generated = [] }: KeptWith,
  actor: string,
): Promise<Record<string, string>> {
  checkSecretScope({ workspace, infra });
  const store = requireSecretStore(engine);
  const prefix = formatGeneratedPrefix({ workspace, infra });
  for (const name of Object.keys(values)) checkGivenName(name);
  for (const { name, recipe } of generated) checkGeneratedName(name, recipe, prefix);
  await ensureAll(store, generated);
  if (Object.keys(values).length === 0) return {};
  const key = await store.ensureGenerated(`${prefix}given`);
  const scoped = store.within({ workspace, infra });
  const names: Record<string, string> = {};
  for (const [reference, value] of Object.entries(values)) {
    const name = `${reference}/${createHmac('sha256', key).update(`${reference}\n${value}`).digest('hex').slice(0, 24)}`;
    if ((await scoped.get(name)) !== value) await scoped.set(name, value, { by: actor, how: 'definition' });
    names[reference] = name;
  }
  return names;
}

/** Authorities are made before the certificates that they sign, as the definition describes them. */
async function ensureAll(store: SecretStore, generated: NonNullable<KeptWith['generated']>): Promise<void> {
  if (generated.length === 0) return;
  const { createMaker } = await import('../../secrets/generate/makers.js');
  const isAuthority = ({ recipe }: { recipe: Recipe }) => recipe.generate === 'ca';
  const inOrder = [...generated].sort((a, b) => Number(isAuthority(b)) - Number(isAuthority(a)));
  for (const { name, recipe } of inOrder) await store.ensureGenerated(name, await createMaker(store, name, recipe));
}

function checkGivenName(name: string): void {
  checkSecretName(name);
  if (!name.startsWith(GIVEN_PREFIX)) throw refused(name, `the name of a value begins with "${GIVEN_PREFIX}"`);
}

function checkGeneratedName(name: string, recipe: Recipe, prefix: string): void {
  checkSecretName(name);
  const { kept, kind } = parseGeneratedName(name);
  if (!isGenerated(name) || !name.startsWith(prefix)) throw refused(name, 'it is generated for another infra');
  if (kept !== name || kind !== recipe.generate) throw refused(name, 'the name is not one of its recipe');
}

const refused = (name: string, why: string) => inputError({ code: 'bad-request', what: 'keep the secret', on: name, why });
