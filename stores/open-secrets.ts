import type { Home } from '../home/home.js';
import { FileSecretStore } from './files/file-secret-store.js';
import { createSealer } from './files/sealer.js';
import { createPrivateText } from './files/sealing.js';
import type { SecretStore } from './secrets.js';

/** A set-up's secrets alone, for commands that touch nothing else. */
export async function openSecrets(home: Home, env: NodeJS.ProcessEnv): Promise<{ secrets: SecretStore; close(): Promise<void> }> {
  if (!env.PROVISIONING_STORE) {
    const text = createPrivateText(home, createSealer(home, env), env);
    return { secrets: new FileSecretStore(home.secrets, env, text), close: async () => {} };
  }
  const { openStores } = await import('./open-stores.js');
  return openStores(home, env);
}
