import type { KeyPlace } from '../../encryption/keys.js';
import type { Home } from '../../home/home.js';
import { ensureIdentity } from './identity-file.js';

/** Where the keys of a home are. @param env with what the settings of the home say: it has the key service */
export const keyPlaceIn = (home: Home, env: NodeJS.ProcessEnv): KeyPlace => ({
  folder: home.encryption,
  env,
  setUp: async () => (await ensureIdentity(home)).id,
});
