import { ALLOW_THIS_HOST } from '../core/definition/this-host.js';
import type { Home } from '../home/home.js';
import { resolveEnvironment } from './settings.js';

/**
 * Reports whether a worker of this home may change its own machine. Read again each time, so that no restart is needed.
 */
export async function allowsThisHost(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  return ['1', 'true'].includes((await resolveEnvironment(home, env))[ALLOW_THIS_HOST] ?? '');
}

/** Allows, in the settings of the home, that its worker changes its own machine. All other settings stay. */
export async function allowThisHost(home: Home): Promise<void> {
  // An invalid settings file fails here, with its line.
  const { changeLayer } = await import('./edit/change-layer.js');
  await changeLayer({ home, env: {} }, 'user', 'worker.allowThisHost', true);
}
