import type { ProviderConnection } from '../../sdk/index.js';
import { adoptServer } from './account/adopt.js';
import { createCatalog } from './account/catalog.js';
import { deleteOther } from './account/others.js';
import { listOwned } from './account/owned.js';
import { listStrangers } from './account/strangers.js';
import { backupVerbs } from './backups.js';
import type { Cloud } from './cloud/cloud.js';
import { call } from './errors.js';
import { networkVerbs } from './networks.js';
import { createServer, waitForServer } from './servers/create.js';
import { deleteServer } from './servers/delete.js';
import { diffServer, listServers, readServer } from './servers/describe.js';
import { powerServer } from './servers/power.js';
import { updateServer } from './servers/update.js';
import { volumeVerbs } from './volumes.js';

/** Creates the connection to an UpCloud account. */
export function createConnection(cloud: Cloud): ProviderConnection {
  return {
    servers: {
      list: (context) => listServers(cloud, context),
      read: (name, context) => readServer(cloud, name, context),
      diff: diffServer,
      create: (wanted, context) => createServer(cloud, wanted, context),
      ready: (name, context) => waitForServer(cloud, name, context),
      update: (wanted, context) => updateServer(cloud, wanted, context),
      delete: (name, context) => deleteServer(cloud, name, context),
    },
    networks: networkVerbs(cloud),
    volumes: volumeVerbs(cloud),
    backups: backupVerbs(cloud),
    power: (name, action, context) =>
      call(`${action} the server`, name, context.signal, () => powerServer(cloud, name, action, context)),
    owned: ({ workspace, setup, signal }) =>
      call('list our resources', `workspace ${workspace}`, signal, () => listOwned(cloud, workspace, setup, signal)),
    others: {
      delete: (kind, name, context) =>
        call(`delete the ${kind}`, name, context.signal, () => deleteOther(cloud, kind, name, context)),
    },
    catalog: createCatalog(cloud),
    strangers: (signal) => call('list the servers', 'the account', signal, () => listStrangers(cloud, signal)),
    adopt: (id, name, context) => call('adopt the server', id, context.signal, () => adoptServer(cloud, id, name, context)),
  };
}
