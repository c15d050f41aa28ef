import type { CredentialSource, ProviderConnection } from '../../sdk/index.js';
import { adoptServer } from './account/adopt.js';
import { createCatalog } from './account/catalog.js';
import { removeOther } from './account/others.js';
import { listOwned } from './account/owned.js';
import { listStrangers } from './account/strangers.js';
import { openApi } from './api/api.js';
import { endpointOf, type HetznerConfig } from './config.js';
import { readToken } from './credentials.js';
import { networkVerbs } from './networks.js';
import { openProject } from './project/project.js';
import { openServers } from './project/servers.js';
import { zoneVerbs } from './records.js';
import { createServer, waitForServer } from './servers/create.js';
import { deleteServer } from './servers/delete.js';
import { diffServer, listServers, readServer } from './servers/describe.js';
import { powerServer } from './servers/power.js';
import { updateServer } from './servers/update.js';
import { volumeVerbs } from './volumes.js';

/** Connects to a project of Hetzner Cloud. */
export async function connect(config: HetznerConfig, outside: CredentialSource): Promise<ProviderConnection> {
  const api = openApi({ endpoint: endpointOf(config, outside), token: await readToken(config, outside) });
  const project = openProject(api, config.pollMs);
  const servers = openServers(project);
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
    networks: networkVerbs(project),
    volumes: volumeVerbs(project),
    records: zoneVerbs(project),
    owned: ({ workspace, setup, signal }) => listOwned(project, workspace, setup, signal),
    others: { delete: (kind, name, context) => removeOther(project, kind, name, context) },
    catalog: createCatalog(project),
    strangers: (signal) => listStrangers(project, signal),
    adopt: (id, name, context) => adoptServer(project, id, name, context),
  };
}
