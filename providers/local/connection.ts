import type { ProviderConnection } from '../../sdk/index.js';
import { listOwned } from './account/owned.js';
import type { LocalConfig } from './config.js';
import { openDocker } from './docker/docker.js';
import { openServers } from './docker/servers.js';
import { call } from './errors.js';
import { networkVerbs } from './networks.js';
import { createServer, waitForServer } from './servers/create.js';
import { deleteServer } from './servers/delete.js';
import { diffServer, listServers, readServer } from './servers/describe.js';
import { powerServer } from './servers/power.js';
import { updateServer } from './servers/update.js';
import { volumeVerbs } from './volumes.js';

/** Connects to this machine's containers, without a request to Docker: existing machines do not need it. */
export async function connect(config: LocalConfig): Promise<ProviderConnection> {
  const docker = await openDocker(config);
  const servers = openServers(docker, config);
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
    networks: networkVerbs(docker),
    volumes: volumeVerbs(docker),
    owned: ({ workspace, setup, signal }) =>
      call('list our resources', `workspace ${workspace}`, signal, () => listOwned(docker, workspace, setup)),
  };
}
