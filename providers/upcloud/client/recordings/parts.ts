import type { ServerCreate, UpCloudClient } from '../index.js';

/** Plays one recorded conversation with the client. */
export type Script = (client: UpCloudClient) => Promise<void>;

/** No pauses: the recording has all its time behind it. */
export const NO_PAUSE = { everyMs: 1 };

const TEMPLATE = '01000000-0000-4000-8000-000020060100';

/** The server that most recordings begin with. */
export function createWantedServer(testName: string, changes: Partial<ServerCreate> = {}): ServerCreate {
  return {
    hostname: `uploud-go-sdk-integration-test-${testName.toLowerCase()}.example.com`,
    title: `uploud-go-sdk-integration-test-${testName}`,
    zone: 'fi-hel2',
    labels: [
      { key: 'managedBy', value: 'upcloud-sdk-integration-test' },
      { key: 'testName', value: testName },
    ],
    metadata: false,
    remote_access_enabled: false,
    password_delivery: 'none',
    networking: {
      interfaces: [
        { type: 'utility', ip_addresses: [{ family: 'IPv4' }] },
        { type: 'public', ip_addresses: [{ family: 'IPv4' }] },
        { type: 'public', ip_addresses: [{ family: 'IPv6' }] },
      ],
    },
    storage_devices: [{ action: 'clone', storage: TEMPLATE, title: 'disk1', size: 10, tier: 'maxiops' }],
    ...changes,
  };
}

/** Creates it and reads it, as the recorded waits end. */
export async function startWantedServer(client: UpCloudClient, wanted: ServerCreate) {
  const { uuid } = await client.servers.create(wanted);
  return client.servers.waitFor(uuid, 'started', NO_PAUSE);
}

export const hardStop = { type: 'hard', timeoutSeconds: 900 } as const;

export const testStorage = {
  size: 10,
  tier: 'maxiops',
  title: 'Test storage',
  zone: 'fi-hel2',
  backup_rule: { interval: 'daily', time: '0430', retention: 30 },
};
