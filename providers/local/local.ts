import { defineProvider } from '../../core/provider.js';
import { localConfig } from './config.js';
import { call, openDocker } from './docker.js';
import { RELEASES } from './images.js';
import { networkVerbs } from './networks.js';
import { listOwned } from './owned.js';
import { PLANS, SIZES } from './plans.js';
import { serverVerbs } from './servers.js';
import { volumeVerbs } from './volumes.js';

/** This machine: hosts are containers with systemd and sshd, or machines that exist already (`host:`). */
export const local = defineProvider({
  name: 'local',
  description: 'Containers of this machine that behave like hosts, and machines that exist already',
  config: localConfig,
  sizes: SIZES,
  plans: PLANS,
  free: true,
  images: { default: 'debian-12', supported: Object.keys(RELEASES) },

  async connect(config) {
    // Nothing is asked of Docker yet: machines that exist already need none.
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
  },

  async prepare(config, report) {
    const { prepareEngine } = await import('./prepare/engine.js');
    const { prepareImage } = await import('./prepare/image.js');
    const docker = await openDocker(config);
    await prepareEngine(docker, config, report);
    await call('get the host image', 'debian-12', undefined, () => prepareImage(docker, config, report));
  },
});
