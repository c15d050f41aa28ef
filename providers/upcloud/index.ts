import { type CredentialSource, defineProvider } from '../../sdk/index.js';
import { upcloudConfig } from './config.js';
import { credentialsFor, VARIABLES } from './credentials.js';
import { IMAGES, isOwnImage } from './images.js';
import { PLANS, planNamed, SIZES } from './plans.js';
import { DEFAULT_ZONE, REGIONS, zoneNamed } from './zones.js';

const PROCESS: CredentialSource = { env: process.env, secret: async () => undefined };

/** Provider for UpCloud: servers, networks, disks and addresses. */
export const upcloud = defineProvider({
  name: 'upcloud',
  description: 'Servers of UpCloud',
  config: upcloudConfig,
  sizes: SIZES,
  plans: PLANS,
  planNamed,
  images: { default: 'debian-12', supported: IMAGES },
  isOwnImage,
  regions: REGIONS,
  features: ['firewall', 'placement', 'address', 'network-range', 'existing-network', 'volume-growth'],
  variables: VARIABLES,
  account: ({ account }) => account ?? 'default',

  async connect(config, outside = PROCESS) {
    const credentials = await credentialsFor(config.account, outside);
    const [{ upcloudClient }, { openCloud }, { createConnection }, { quietFetch }] = await Promise.all([
      import('./client/index.js'),
      import('./cloud/cloud.js'),
      import('./connection.js'),
      import('./cloud/quiet.js'),
    ]);
    const endpoint = config.endpoint ?? outside.env.UPCLOUD_API_URL;
    const client = upcloudClient({
      credentials,
      userAgent: 'provisioning',
      fetch: quietFetch(),
      ...(endpoint ? { endpoint } : {}),
    });
    return createConnection(openCloud(client, zoneNamed(config.zone ?? DEFAULT_ZONE), config.pollMs));
  },
});
