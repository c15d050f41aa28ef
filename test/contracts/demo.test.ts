import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { demo } from '../../providers/demo/index.js';
import { configureDemo, countEffects, meddleWithDemo, readDemo } from '../../providers/demo/store/account.js';
import { providerContract } from './provider-contract.js';

const folder = await mkdtemp(join(tmpdir(), 'provisioning-demo-'));
const path = join(folder, 'account.json');
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('demo keeps the contract of a provider', () => {
  providerContract({
    provider: demo,
    connect: () => demo.connect(demo.config.parse({ path })),
    countCreated: async (_, name) => countEffects(await readDemo(path), { verb: 'servers.create', name }),
    stop: ({ workspace, infra }, name) =>
      meddleWithDemo(path, ({ servers }) => {
        const server = servers[`${workspace}/${infra}/${name}`];
        if (server) server.stopped = true;
      }),
    detach: ({ workspace, infra }, name) =>
      meddleWithDemo(path, ({ servers }) => {
        const [server = '', volume] = name.split('/');
        const found = servers[`${workspace}/${infra}/${server}`];
        if (!found) return;
        found.volumes = found.volumes.filter((one) => one !== volume);
        delete found.volumeSizes;
      }),
    async makeStranger(name) {
      const id = `elsewhere-${name}`;
      await meddleWithDemo(path, ({ elsewhere }) => {
        elsewhere[id] = { id, name, plan: 'demo-small', image: 'debian-12' };
      });
      return id;
    },
    async makeNetwork() {
      const id = 'network-of-others';
      await meddleWithDemo(path, (state) => {
        state.foreignNetworks = [id];
      });
      return { id, isThere: async () => (await readDemo(path)).foreignNetworks?.includes(id) ?? false };
    },
    fill: (full) => configureDemo(path, { limits: full ? { servers: 0 } : {} }),
  });
});
