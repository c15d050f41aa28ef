import { defineProvider } from '../../sdk/index.js';
import { localConfig } from './config.js';
import { DEFAULT_IMAGE, RELEASES } from './images.js';
import { PLANS, planNamed, SIZES } from './plans.js';

/** Provider for this machine: hosts are containers with systemd and sshd, or existing machines (`host:`). */
export const local = defineProvider({
  name: 'local',
  description: 'Containers of this machine that behave like hosts, and existing machines',
  config: localConfig,
  sizes: SIZES,
  plans: PLANS,
  planNamed,
  free: true,
  images: { default: DEFAULT_IMAGE, supported: Object.keys(RELEASES) },

  connect: async (config) => (await import('./connection.js')).connect(config),

  async prepare(config, report) {
    const { openDocker } = await import('./docker/docker.js');
    const { call } = await import('./errors.js');
    const { prepareEngine } = await import('./prepare/engine.js');
    const { prepareImage } = await import('./prepare/image.js');
    const docker = await openDocker(config);
    await prepareEngine(docker, config, report);
    await call('get the host image', DEFAULT_IMAGE, undefined, () => prepareImage(docker, config, DEFAULT_IMAGE, report));
  },
});
