import type { Home } from '../home/home.js';
import type { StoreRecords } from './records.js';

/**
 * All that a set-up keeps beside Temporal, as records: of the team's store where
 * `PROVISIONING_STORE` names one, else of files of the home.
 *
 * @param mover id of the platform that fills the store by a move
 * @throws inputError and unreachableError of codes that begin with `store-`
 */
export async function openRecords(home: Home, env: NodeJS.ProcessEnv, mover?: string): Promise<StoreRecords> {
  const url = env.PROVISIONING_STORE;
  if (url) {
    const { openSharedRecords } = await import('./postgres/shared.js');
    return openSharedRecords(url, home, env, mover);
  }
  const { fileRecords } = await import('./files/records/file-records.js');
  return fileRecords(home, env);
}
