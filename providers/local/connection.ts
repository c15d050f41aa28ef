import type { ProviderConnection } from '../../sdk/index.js';
import { listOwned } from './account/owned.js';
import type { LocalConfig } from './config.js';
import { call, openDocker } from './errors.js';
import { networkVerbs } from './networks.js';
import { serverVerbs } from './servers.js';
import { volumeVerbs } from './volumes.js';

/** The containers of this machine. Nothing is asked of Docker yet: machines that exist already need none. */
export async function connect(config: LocalConfig): Promise<ProviderConnection> {
  const docker = await openDocker(config);
  const { power, ...servers } = serverVerbs(docker, config);
  return {
    servers,
    power,
    networks: networkVerbs(docker),
    volumes: volumeVerbs(docker),
    owned: ({ workspace, setup, signal }) =>
      call('list what is ours', `workspace ${workspace}`, signal, () => listOwned(docker, workspace, setup)),
  };
}
