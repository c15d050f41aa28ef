import { createServer, type IncomingMessage } from 'node:http';
import { providerConnections } from '../../activities/machine/provider-connections.js';
import { type AnyProvider, defineProvider } from '../../core/machine/provider.js';
import { FileSecretStore } from '../../stores/files/file-secret-store.js';
import { workerSettings } from '../../workers/worker-settings.js';
import { modules } from '../support/modules.js';
import { testText } from '../support/private-text.js';
import type { Effect, Effects, Place } from './effect.js';

const KEYS = {
  HCLOUD_TOKEN: 'x',
  UPCLOUD_TOKEN: 'ucat_x',
  AWS_ACCESS_KEY_ID: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  AWS_EC2_METADATA_DISABLED: 'true',
};

/** Connects to a provider like a worker, with the settings of a home. */
function connectionIn({ home, env }: Place, name: string, provider = modules.providers[name] as AnyProvider, more = {}) {
  const { providerSettings } = workerSettings(env).activities;
  const secrets = new FileSecretStore(home.secrets, {}, testText);
  const outside = { ...KEYS, HOME: home.root, ...env, ...more };
  return providerConnections({ providers: { [name]: provider }, secrets, env: outside, providerSettings })(name);
}

/** Creates an effect on a field of the provider's configuration. */
const configured = (provider: string, field: string, values: Effect['values']): Effect => ({
  values,
  sees: 'itself',
  async observe(place) {
    let seen: Record<string, unknown> = {};
    const own = modules.providers[provider] as AnyProvider;
    const connect: AnyProvider['connect'] = async (config, outside) => {
      seen = config;
      return own.connect(config, outside);
    };
    await connectionIn(place, provider, defineProvider({ ...own, connect }));
    return seen[field];
  },
});

/** Returns the first request to an API that rejects every request. */
async function askedAt(ask: (origin: string) => Promise<unknown>): Promise<IncomingMessage | undefined> {
  let first: IncomingMessage | undefined;
  const api = createServer((request, response) => {
    first ??= request;
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"code":"unauthorized","message":"no"}}');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as { port: number };
  await ask(`http://127.0.0.1:${port}`).catch(() => undefined);
  api.closeAllConnections();
  api.close();
  return first;
}

/** Creates an effect on the address of requests. The values differ by path, because the port is not known yet. */
const endpoint = (provider: string, variable: string): Effect => ({
  values: ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b'],
  sees: ['/a/', '/b/'],
  async observe(place) {
    const first = await askedAt(async (origin) => {
      const env = { ...place.env, [variable]: place.env[variable]?.replace('http://127.0.0.1:1', origin) };
      const connection = await connectionIn({ ...place, env }, provider, undefined, { AWS_REGION: 'eu-central-1' });
      await connection.owned({ workspace: 'w', setup: 's' });
    });
    return first?.url?.slice(0, 3);
  },
});

export const PROVIDER_EFFECTS: Effects = {
  'providers.aws.endpoint': endpoint('aws', 'AWS_ENDPOINT_URL_EC2'),
  'providers.aws.region': {
    values: ['eu-central-1', 'us-east-2'],
    sees: ['eu-central-1', 'us-east-2'],
    async observe(place) {
      const first = await askedAt(async (origin) => {
        const connection = await connectionIn(place, 'aws', undefined, { AWS_ENDPOINT_URL_EC2: origin });
        await connection.owned({ workspace: 'w', setup: 's' });
      });
      // Requests are signed for a region.
      return /\/([a-z0-9-]+)\/ec2\//.exec(first?.headers.authorization ?? '')?.[1];
    },
  },
  'providers.aws.pollMs': configured('aws', 'pollMs', [10, 20]),
  'providers.hetzner.endpoint': endpoint('hetzner', 'HCLOUD_ENDPOINT'),
  'providers.hetzner.pollMs': configured('hetzner', 'pollMs', [10, 20]),
  'providers.local.image': configured('local', 'image', ['a:1', 'b:2']),
  'providers.local.nestedContainers': configured('local', 'nestedContainers', [false, true]),
  'providers.local.rawSockets': configured('local', 'rawSockets', [false, true]),
  'providers.local.socketPath': configured('local', 'socketPath', ['/run/a.sock', '/run/b.sock']),
  'providers.upcloud.endpoint': endpoint('upcloud', 'UPCLOUD_API_URL'),
  'providers.upcloud.zone': configured('upcloud', 'zone', ['fi-hel1', 'de-fra1']),
  'providers.upcloud.pollMs': configured('upcloud', 'pollMs', [10, 20]),
};
