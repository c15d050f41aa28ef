import { inputError } from '../../core/errors.js';
import type { Engine } from '../engine.js';
import { type ChosenSecret, checkNoShare, chooseSecret, type SecretPlace, type SecretScopeName } from './chosen-secret.js';

export interface ImportedSecret {
  name: string;
  change: 'new' | 'same' | 'changed';
  scope: SecretScopeName;
}

/**
 * Sets secrets, after all of them were checked.
 *
 * @param how the origin of the versions
 * @param check only reports what would change
 * @throws inputError `secret-name`, `secret-scope`, `bad-request`
 */
export async function importSecrets(
  engine: Engine,
  scope: Omit<SecretPlace, 'name'>,
  values: Readonly<Record<string, string>>,
  { actor, how, check }: { actor: string; how: string; check: boolean },
): Promise<ImportedSecret[]> {
  const found: (ImportedSecret & { value: string; chosen: ChosenSecret })[] = [];
  for (const [name, value] of Object.entries(values)) {
    checkNoShare(name, 'import the secret');
    const chosen = await chooseSecret(engine, { ...scope, name });
    if (chosen.scope === 'generated') {
      const why = 'its definition generates this secret';
      throw inputError({
        code: 'bad-request',
        what: 'import the secret',
        on: name,
        why,
        hint: `provisioning secret rotate ${name}`,
      });
    }
    // The right to write in a workspace does not include secrets that all workspaces share.
    if (chosen.scope === 'account' && !scope.shared) {
      const why = 'all workspaces share the credential of an account: import it with `shared`';
      throw inputError({ code: 'bad-request', what: 'import the secret', on: name, why });
    }
    const before = await chosen.secrets.get(chosen.kept);
    const change = before === undefined ? 'new' : before === value ? 'same' : 'changed';
    found.push({ name, change, scope: chosen.scope, value, chosen });
  }
  if (!check)
    for (const { change, value, chosen } of found)
      if (change !== 'same') await chosen.secrets.set(chosen.kept, value, { by: actor, how });
  return found.map(({ name, change, scope }) => ({ name, change, scope }));
}
