import type { Context } from '../../authoring/context.js';
import type { KeyPlace } from '../../encryption/keys.js';
import { settledEnvironment } from '../../settings/settings.js';
import { ensureIdentity } from '../../stores/files/identity-file.js';

/** Where the keys of a home are, with the key service that its settings name. */
export async function keyPlaceOf({ home, env }: Pick<Context, 'home' | 'env'>): Promise<KeyPlace> {
  return {
    folder: home.encryption,
    env: await settledEnvironment(home, env),
    setUp: async () => (await ensureIdentity(home)).id,
  };
}
