import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ProviderConnection } from '../../sdk/index.js';
import { adoptServer } from './account/adopt.js';
import { createCatalog } from './account/catalog.js';
import { createOtherVerbs } from './account/others.js';
import { listOwned } from './account/owned.js';
import { listStrangers } from './account/strangers.js';
import { backupVerbs } from './backups.js';
import { type DemoConfig, pathOf } from './config.js';
import { createSimulatedHost } from './host/simulated-host.js';
import { networkVerbs } from './networks.js';
import { createServer, waitForServer } from './servers/create.js';
import { deleteServer } from './servers/delete.js';
import { diffServer, listServers, readServer } from './servers/describe.js';
import { powerServer } from './servers/power.js';
import { updateServer } from './servers/update.js';
import { demoStore } from './store/store.js';
import { volumeVerbs } from './volumes.js';

/** Connects to an account in a file, which the first write creates. */
export async function connect(config: DemoConfig): Promise<ProviderConnection> {
  const path = pathOf(config);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const store = demoStore(path, config.settings);
  const servers = { store, account: config.account };
  return {
    servers: {
      list: (context) => listServers(servers, context),
      read: (name, context) => readServer(servers, name, context),
      diff: diffServer,
      create: (wanted, context) => createServer(servers, wanted, context),
      ready: (name, context) => waitForServer(servers, name, context),
      update: (wanted, context) => updateServer(servers, wanted, context),
      delete: (name, context) => deleteServer(servers, name, context),
    },
    power: (name, action, context) => powerServer(servers, name, action, context),
    adopt: (id, name, context) => adoptServer(servers, id, name, context),
    strangers: (signal) => listStrangers(store, signal),
    networks: networkVerbs(store),
    volumes: volumeVerbs(store),
    others: createOtherVerbs(store),
    backups: backupVerbs(store),
    catalog: createCatalog(store, config.account),
    owned: ({ workspace, signal }) => listOwned(store, workspace, signal),
    host: (server) => createSimulatedHost(store, server),
  };
}
