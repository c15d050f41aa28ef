import Docker from 'dockerode';
import { describe } from 'vitest';
import { local } from '../../providers/local/local.js';
import { hostsOfLocal } from './local-hosts.js';
import { providerContract } from './provider-contract.js';

const docker = new Docker();
const problem = await ready();
const config = local.config.parse({});

describe.skipIf(problem)(
  `local keeps the contract of a provider${problem ? ` (left out: ${problem})` : ''}`,
  { timeout: 60_000 },
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

/** Gets the host image where it is missing. Answers why local cannot be tested here, if so. */
async function ready(): Promise<string | undefined> {
  try {
    await docker.ping();
  } catch (error) {
    return `no Docker Engine answers (${(error as Error).message})`;
  }
  await local.prepare?.(local.config.parse({}), () => {});
  return undefined;
}
