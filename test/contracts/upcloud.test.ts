import { afterAll, beforeAll, describe } from 'vitest';
import { upcloud } from '../../providers/upcloud/upcloud.js';
import { whyUnchecked } from '../clouds/upcloud/facts.js';
import { startUpCloud, type UpCloudStandIn } from '../clouds/upcloud/stand-in.js';
import { providerContract } from './provider-contract.js';

describe(`upcloud keeps the contract of a provider${whyUnchecked ? ` (${whyUnchecked})` : ''}`, () => {
  let standIn: UpCloudStandIn;
  beforeAll(async () => {
    standIn = await startUpCloud();
  });
  afterAll(() => standIn.close());

  providerContract({
    provider: upcloud,
    connect: () => {
      const outside = { env: { UPCLOUD_TOKEN: standIn.token, UPCLOUD_API_URL: standIn.url }, secret: async () => undefined };
      return upcloud.connect(upcloud.config.parse({ pollMs: 20 }), outside);
    },
    countCreated: async ({ infra }, name) => standIn.world.account.made[`${infra}-${name}`] ?? 0,
    stop: async ({ uuid }, name) => {
      const bears = (key: string, value: string) => (label: { key: string; value: string }) =>
        label.key === `provisioning.${key}` && label.value === value;
      for (const server of standIn.world.account.servers.values())
        if (server.labels.some(bears('uuid', uuid)) && server.labels.some(bears('name', name))) server.state = 'stopped';
    },
  });
});
