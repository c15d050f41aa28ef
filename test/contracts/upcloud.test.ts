import { afterAll, describe } from 'vitest';
import { upcloud } from '../../providers/upcloud/index.js';
import { behind } from '../clouds/upcloud/behind.js';
import { whyUnchecked } from '../clouds/upcloud/facts.js';
import { startUpCloud } from '../clouds/upcloud/stand-in.js';
import { providerContract } from './provider-contract.js';

const standIn = await startUpCloud();
afterAll(() => standIn.close());

describe(`upcloud keeps the contract of a provider${whyUnchecked ? ` (${whyUnchecked})` : ''}`, () => {
  const outside = { env: { UPCLOUD_TOKEN: standIn.token, UPCLOUD_API_URL: standIn.url }, secret: async () => undefined };
  providerContract({
    provider: upcloud,
    connect: () => upcloud.connect(upcloud.config.parse({ pollMs: 20 }), outside),
    ...behind(standIn),
  });
});
