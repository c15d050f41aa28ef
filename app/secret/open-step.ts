import { parseGeneratedName } from '../../core/taskserv/generated-names.js';
import type { OpenStep } from '../../secrets/generate/authority-steps.js';
import type { ChosenSecret } from './chosen-secret.js';

/** The step that the rotation of an authority is in; undefined for every other secret, and if no rotation is under way. */
export async function findOpenStep({ secrets, scope, kept }: ChosenSecret): Promise<OpenStep | undefined> {
  if (scope !== 'generated' || parseGeneratedName(kept).kind !== 'ca') return undefined;
  const { stepIn } = await import('../../secrets/generate/authority-steps.js');
  return stepIn((await secrets.get(kept)) ?? '');
}
