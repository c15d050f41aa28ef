import type { Outside, ProviderConnection } from '../../sdk/index.js';
import { catalogOf } from './account/catalog.js';
import { listOwned, removeOther } from './account/owned.js';
import { adoptServer, listStrangers } from './account/strangers.js';
import { openApi } from './api/api.js';
import { endpointOf, type HetznerConfig, tokenOf } from './config.js';
import { networkVerbs } from './networks.js';
import { openProject } from './project/project.js';
import { serverVerbs } from './servers.js';
import { volumeVerbs } from './volumes.js';

/** A project of Hetzner Cloud. */
export async function connect(config: HetznerConfig, outside: Outside): Promise<ProviderConnection> {
  const api = openApi({ endpoint: endpointOf(config, outside), token: await tokenOf(config, outside) });
  const project = openProject(api, config.pollMs);
  const { power, ...servers } = serverVerbs(project);
  return {
    servers,
    power,
    networks: networkVerbs(project),
    volumes: volumeVerbs(project),
    owned: ({ workspace, setup, signal }) => listOwned(project, workspace, setup, signal),
    others: { delete: (kind, name, context) => removeOther(project, kind, name, context) },
    catalog: catalogOf(project),
    strangers: (signal) => listStrangers(project, signal),
    adopt: (id, name, context) => adoptServer(project, id, name, context),
  };
}
