import Docker from 'dockerode';
import { describe } from 'vitest';
import { local } from '../../providers/local/index.js';
import { whyNoHosts } from '../support/hosts.js';
import { hostsOfLocal } from './local-hosts.js';
import { providerContract } from './provider-contract.js';

const docker = new Docker();
const problem = await whyNoHosts('plain');
const config = local.config.parse({});

describe.skipIf(problem)(
  `local keeps the contract of a provider${problem ? ` (left out: ${problem})` : ''}`,
  { timeout: 240_000 },
  () => {
    providerContract({
      provider: local,
      connect: () => local.connect(config),
      countCreated: async (scope, name) => {
        const label = [`provisioning.uuid=${scope.uuid}`, `provisioning.name=${name}`, 'provisioning.kind=server'];
        return (await docker.listContainers({ all: true, filters: { label } })).length;
      },
      stop: async (scope, name) => {
        const label = [`provisioning.uuid=${scope.uuid}`, `provisioning.name=${name}`, 'provisioning.kind=server'];
        const [row] = await docker.listContainers({ filters: { label } });
        await docker.getContainer(row?.Id ?? '').stop();
      },
    });
    hostsOfLocal(docker, () => local.connect(config));
  },
);
