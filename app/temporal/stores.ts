import type { Stores as KeptStores } from '../../stores/stores.js';
import type { EngineStores } from '../engine.js';

/** What methods need of a set-up's stores. Private keys and secrets are not among it. */
export function engineStores({
  logs,
  keys,
  blobs,
  rollbacks,
  feeds,
}: Pick<KeptStores, 'logs' | 'keys' | 'blobs' | 'rollbacks' | 'feeds'>): EngineStores {
  return {
    putBlob: (text) => blobs.put(text),
    hasBlob: (address) => blobs.has(address),
    getBlob: (address) => blobs.get(address),
    readLogs: (operation) => logs.read(operation),
    findRollback: (operation) => rollbacks.find(operation),
    readFeeds: (owner) => feeds.read(owner),
    listFeeds: () => feeds.infras(),
    listKeys: (workspace) => keys.infras(workspace),
    publicKey: async (owner) => (await keys.infraKey(owner)).public,
    pinHostKey: (owner, server, key) => keys.pin(owner, server, key),
    forgetHostKey: (owner, server) => keys.forget(owner, server),
  };
}
