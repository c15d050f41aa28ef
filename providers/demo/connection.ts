import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ProviderConnection } from '../../sdk/index.js';
import { listStrangers } from './account/adopt.js';
import { catalogOf } from './account/catalog.js';
import { otherVerbs } from './account/others.js';
import { listOwned } from './account/owned.js';
import { backupVerbs } from './backups.js';
import { type DemoConfig, pathOf } from './config.js';
import { simulatedHost } from './host/simulated-host.js';
import { networkVerbs, volumeVerbs } from './networks.js';
import { serverVerbs } from './servers.js';
import { demoStore } from './store/store.js';

/** An account in a file, which is made when something is first written to it. */
export async function connect(config: DemoConfig): Promise<ProviderConnection> {
  const path = pathOf(config);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const store = demoStore(path, config.settings);
  const { adopt, power, ...servers } = serverVerbs(store, config.account);
  return {
    servers,
    power,
    adopt,
    strangers: (signal) => listStrangers(store, signal),
    networks: networkVerbs(store),
    volumes: volumeVerbs(store),
    others: otherVerbs(store),
    backups: backupVerbs(store),
    catalog: catalogOf(store, config.account),
    owned: ({ workspace, signal }) => listOwned(store, workspace, signal),
    host: (server) => simulatedHost(store, server),
  };
}
