import { inputError } from '../../core/errors.js';
import { locate } from '../locate.js';
import type { Call } from '../method.js';

/**
 * Refuses a call whose answer would show an infra to a caller who may not read it.
 *
 * @throws inputError `forbidden`
 */
export async function checkMayRead(
  { engine, principal: { actor, may } }: Pick<Call, 'engine' | 'principal'>,
  { workspace, infra }: { workspace: string; infra: string },
  what: string,
): Promise<void> {
  const id = `${workspace}/${infra}`;
  if (await may('infra:read', await locate(engine, { type: 'Infra', id }))) return;
  throw inputError({ code: 'forbidden', what, on: `Infra ${id}`, why: `${actor} may not do "infra:read"` });
}
