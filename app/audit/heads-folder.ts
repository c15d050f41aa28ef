import type { Home } from '../../home/home.js';
import { readSetting, resolveEnvironment } from '../../settings/settings.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';

/**
 * Returns the folder outside of the database that has the ends of audit chains: the setting `audit.heads`, otherwise a
 * folder of the home.
 *
 * @param env with the settings of the home
 */
export const chooseHeadsFolder = (home: Home, env: NodeJS.ProcessEnv): string =>
  readSetting<string>(env, 'audit.heads') ?? home.audit;

/**
 * Returns the same folder for the home of the platform.
 *
 * @throws unreachableError `no-worker` if the platform has no home
 */
export async function headsFolder(engine: Pick<Engine, 'beside'>): Promise<string> {
  const { home, env } = homeOfEngine(engine);
  return chooseHeadsFolder(home, await resolveEnvironment(home, env));
}
