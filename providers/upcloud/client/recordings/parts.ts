import type { ServerCreate, UpCloudClient } from '../index.js';

/** Replays one recorded conversation with the client. */
export type Script = (client: UpCloudClient) => Promise<void>;

/** No pauses: the replay answers at once. */
export const NO_PAUSE = { everyMs: 1 };

const TEMPLATE = '01000000-0000-4000-8000-000020060100';

/** Returns the server at the beginning of most recordings. */
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

/** Creates and reads a server, like the end of the recorded waits. */
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
