import { inputError } from '../../core/errors.js';
import { partIn } from '../../secrets/infra-secrets.js';
import type { ChosenSecret } from './chosen-secret.js';

/**
 * Returns the value of a secret for a person. The read is recorded before the value is returned: if the record fails,
 * no value is returned.
 *
 * @param name may also name a part of a generated pair
 * @throws inputError `unknown-secret` if it was deleted just now
 */
export async function revealSecret(
  { secrets, kept }: Pick<ChosenSecret, 'secrets' | 'kept'>,
  name: string,
  actor: string,
  how: 'secret get' | 'secret export' | 'output' = 'secret get',
): Promise<string> {
  await secrets.noteRead(kept, { at: new Date().toISOString(), by: actor, how });
  const value = await secrets.get(kept);
  if (value !== undefined) return kept === name ? value : partIn(name, value);
  throw inputError({ code: 'unknown-secret', what: 'find the secret', on: name, why: 'the secret was deleted' });
}
