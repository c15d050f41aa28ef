import type { Home } from '../../home/home.js';
import { readSetting, resolveEnvironment } from '../../settings/settings.js';
import type { Engine } from '../engine.js';
import { homeOfEngine } from '../home-of-engine.js';

/**
 * The folder outside of the database that has the ends of audit chains: the setting `audit.heads`, else one of the home.
 *
 * @param env with what the settings of the home say
 */
export const chooseHeadsFolder = (home: Home, env: NodeJS.ProcessEnv): string =>
  readSetting<string>(env, 'audit.heads') ?? home.audit;

/** The same, of the home of the platform. @throws unreachableError `no-worker` if there is none */
export async function headsFolder(engine: Pick<Engine, 'beside'>): Promise<string> {
  const { home, env } = homeOfEngine(engine);
  return chooseHeadsFolder(home, await resolveEnvironment(home, env));
}
