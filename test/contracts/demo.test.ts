import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { countEffects, meddleWithDemo, readDemo } from '../../providers/demo/account.js';
import { demo } from '../../providers/demo/demo.js';
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
  });
});
