import type { KeyPlace } from '../../encryption/keys.js';
import type { Home } from '../../home/home.js';
import { ensureIdentity } from './identity-file.js';

/** Returns the place of a home's keys. @param env with the settings of the home, which name the key service */
export const keyPlaceIn = (home: Home, env: NodeJS.ProcessEnv): KeyPlace => ({
  folder: home.encryption,
  env,
  setUp: async () => (await ensureIdentity(home)).id,
});
