import type { ProviderConnection } from '../../sdk/index.js';
import { catalogOf } from './account/catalog.js';
import { listOwned } from './account/owned.js';
import { adoptServer, listStrangers } from './account/strangers.js';
import { backupVerbs } from './backups.js';
import type { Cloud } from './cloud/cloud.js';
import { call } from './errors.js';
import { networkVerbs } from './networks.js';
import { deleteOther } from './servers/delete.js';
import { serverVerbs, setPower } from './servers.js';
import { volumeVerbs } from './volumes.js';

/** An account of UpCloud, as the workflows use it. */
export function connectionOf(cloud: Cloud): ProviderConnection {
  return {
    servers: serverVerbs(cloud),
    networks: networkVerbs(cloud),
    volumes: volumeVerbs(cloud),
    backups: backupVerbs(cloud),
    power: (name, action, context) =>
      call(`${action} the server`, name, context.signal, () => setPower(cloud, name, action, context)),
    owned: ({ workspace, setup, signal }) =>
      call('list what is ours', `workspace ${workspace}`, signal, () => listOwned(cloud, workspace, setup, signal)),
    others: {
      delete: (kind, name, context) =>
        call(`delete the ${kind}`, name, context.signal, () => deleteOther(cloud, kind, name, context)),
    },
    catalog: catalogOf(cloud),
    strangers: (signal) => call('list the servers', 'the account', signal, () => listStrangers(cloud, signal)),
    adopt: (id, name, context) => call('adopt the server', id, context.signal, () => adoptServer(cloud, id, name, context)),
  };
}
