import type { Home } from '../home/home.js';
import { fileStores } from './files/file-stores.js';
import { createSealer } from './files/sealer.js';
import { createKeyedSealer, createPrivateText } from './files/sealing.js';
import { fenceStores } from './move/fence-stores.js';
import { fileFence, refuseMovedFiles } from './move/file-moves.js';
import { homeRows } from './rows/open-rows.js';
import type { Stores } from './stores.js';

/**
 * Opens the stores of an installation: in PostgreSQL if `PROVISIONING_STORE` names a database, which a team's workers
 * share, otherwise files of the home.
 *
 * @throws inputError and unreachableError with codes that begin with `store-`
 */
export async function openStores(home: Home, env: NodeJS.ProcessEnv = process.env): Promise<Stores> {
  const url = env.PROVISIONING_STORE;
  if (url) {
    const { openShared } = await import('./postgres/shared.js');
    return openShared(url, home, env);
  }
  await refuseMovedFiles(home);
  const sealer = createSealer(home, env);
  const text = createPrivateText(home, sealer, env);
  return fenceStores(fileStores(home, sealer, text, homeRows(home, createKeyedSealer(home, sealer, env)), env), fileFence(home));
}
