import { ALLOW_THIS_HOST } from '../core/definition/this-host.js';
import type { Home } from '../home/home.js';
import { resolveEnvironment } from './settings.js';

/** Whether a worker of this home may work on its own machine; asked again each time, so that no worker need be restarted. */
export async function allowsThisHost(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  return ['1', 'true'].includes((await resolveEnvironment(home, env))[ALLOW_THIS_HOST] ?? '');
}

/** Writes into the settings of the home that its worker may work on its own machine; all else in the file stays. */
export async function allowThisHost(home: Home): Promise<void> {
  // A file that cannot be read as settings is refused here, with its line.
  const { changeLayer } = await import('./edit/change-layer.js');
  await changeLayer({ home, env: {} }, 'user', 'worker.allowThisHost', true);
}
