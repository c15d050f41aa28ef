import type { Stores as KeptStores } from '../../stores/stores.js';
import type { Stores } from './temporal-client.js';

/** What the client needs of a set-up's stores. Private keys and secrets are not among it. */
export function clientStores({ logs, keys, blobs }: Pick<KeptStores, 'logs' | 'keys' | 'blobs'>): Stores {
  return {
    putBlob: (text) => blobs.put(text),
    getBlob: (address) => blobs.get(address),
    readLogs: (operation) => logs.read(operation),
    publicKey: async (owner) => (await keys.infraKey(owner)).public,
    pinHostKey: (owner, server, key) => keys.pin(owner, server, key),
    forgetHostKey: (owner, server) => keys.forget(owner, server),
  };
}
