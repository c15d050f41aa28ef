import type { Home } from '../home/home.js';
import { FileSecretStore } from './files/file-secret-store.js';
import { createSealer } from './files/sealer.js';
import { createPrivateText } from './files/sealing.js';
import { fencePart } from './move/fence-stores.js';
import { fileFence, refuseMovedFiles } from './move/file-moves.js';
import type { SecretStore } from './secrets.js';

/** Opens only the secrets of an installation, for commands that need no other store. */
export async function openSecrets(home: Home, env: NodeJS.ProcessEnv): Promise<{ secrets: SecretStore; close(): Promise<void> }> {
  if (!env.PROVISIONING_STORE) {
    await refuseMovedFiles(home);
    const text = createPrivateText(home, createSealer(home, env), env);
    return { secrets: fencePart(new FileSecretStore(home.secrets, env, text), fileFence(home)), close: async () => {} };
  }
  const { openStores } = await import('./open-stores.js');
  return openStores(home, env);
}
