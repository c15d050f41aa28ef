import type { Home } from '../home/home.js';
import { fileStores } from './files/file-stores.js';
import { createSealer } from './files/sealer.js';
import { createKeyedSealer, createPrivateText } from './files/sealing.js';
import { fenceStores } from './move/fence-stores.js';
import { fileFence, refuseMovedFiles } from './move/file-moves.js';
import { homeRows } from './rows/open-rows.js';
import type { Stores } from './stores.js';

/**
 * The stores of a set-up: PostgreSQL's where `PROVISIONING_STORE` names one,
 * which a team's workers share, else files of the home.
 *
 * @throws inputError and unreachableError of codes that begin with `store-`
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
