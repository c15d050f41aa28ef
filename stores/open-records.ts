import type { Home } from '../home/home.js';
import type { StoreRecords } from './records.js';

/**
 * Opens all data that an installation stores outside of Temporal, as records. They are in the team's store if
 * `PROVISIONING_STORE` names one, otherwise in files of the home.
 *
 * @param mover id of the platform that fills the store by a move
 * @throws inputError and unreachableError with codes that begin with `store-`
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
