import type { Recipe } from '../../core/schema/recipe.js';
import { GENERATED, type Given } from '../../definition/reference-kinds.js';
import type { Context } from '../context.js';
import { useSecrets } from '../definition/definitions.js';

/**
 * Makes what a definition has generated, where it is not made yet. The worker makes what the name of a reference
 * tells whole, a certificate it cannot. Authorities are made before what they sign, as the definition says them.
 */
export async function keepGenerated(context: Context, given: readonly Given[]): Promise<void> {
  const wanted = new Map(given.filter(({ kind }) => kind === GENERATED).map(({ name, reference }) => [name, reference as Recipe]));
  if (wanted.size === 0) return;
  const { createMaker } = await import('../../secrets/generate/makers.js');
  const isAuthority = ({ generate }: Recipe) => generate === 'ca';
  const inOrder = [...wanted].sort(([, a], [, b]) => Number(isAuthority(b)) - Number(isAuthority(a)));
  await useSecrets(context, async (secrets) => {
    for (const [name, recipe] of inOrder) await secrets.ensureGenerated(name, await createMaker(secrets, name, recipe));
  });
}
