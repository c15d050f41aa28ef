import type { Key } from '../registry.js';
import type { ValueType } from '../value-types.js';

const ADDRESS: ValueType = {
  kind: 'text',
  form: { pattern: '^https?://[^\\s/@]+(/\\S*)?$', words: 'an address such as https://api.example.com/v1, without a password' },
};
const POLL: ValueType = { kind: 'number', min: 5, max: 600_000 };

/**
 * Connections of the worker to providers. Only this machine may set them, because credentials go to these addresses.
 * The last part of a name is a field of the provider's configuration.
 */
export const PROVIDER_KEYS: readonly Key[] = [
  {
    name: 'providers.aws.endpoint',
    type: ADDRESS,
    description: 'EC2 API address.',
    otherwise: 'AWS_ENDPOINT_URL, or that of the region',
    scope: 'engine',
    alias: 'AWS_ENDPOINT_URL_EC2',
  },
  {
    name: 'providers.aws.region',
    type: { kind: 'text', form: { pattern: '^[a-z]{2}(-[a-z]+)+-\\d+$', words: 'a region such as eu-central-1' } },
    description: 'Default zone of AWS servers.',
    otherwise: 'AWS_DEFAULT_REGION, or the region of the profile',
    scope: 'engine',
    alias: 'AWS_REGION',
  },
  {
    name: 'providers.aws.pollMs',
    type: POLL,
    description: 'Polling interval at AWS.',
    unit: 'milliseconds',
    otherwise: '3000',
    scope: 'engine',
  },
  {
    name: 'providers.hetzner.endpoint',
    type: ADDRESS,
    description: 'Hetzner Cloud API address.',
    otherwise: 'https://api.hetzner.cloud/v1',
    scope: 'engine',
    alias: 'HCLOUD_ENDPOINT',
  },
  {
    name: 'providers.hetzner.pollMs',
    type: POLL,
    description: 'First polling interval at Hetzner; later intervals are longer.',
    unit: 'milliseconds',
    otherwise: '250',
    scope: 'engine',
  },
  {
    name: 'providers.local.image',
    type: { kind: 'text' },
    description: 'Docker image of local hosts, with systemd and sshd.',
    otherwise: 'one made here with debootstrap',
    scope: 'engine',
  },
  {
    name: 'providers.local.nestedContainers',
    type: { kind: 'switch' },
    description: 'Lets new local hosts run containers with all rights that containers usually have, as Kubernetes needs.',
    otherwise: 'false',
    scope: 'engine',
  },
  {
    name: 'providers.local.rawSockets',
    type: { kind: 'switch' },
    description: 'Lets programs on new local hosts open raw sockets, as keepalived needs.',
    otherwise: 'false',
    scope: 'engine',
  },
  {
    name: 'providers.local.socketPath',
    type: { kind: 'text', form: { pattern: '^/', words: 'a path such as /run/user/1000/docker.sock' } },
    description: 'Docker Engine socket.',
    otherwise: 'the one that DOCKER_HOST names, or /var/run/docker.sock',
    scope: 'engine',
  },
  {
    name: 'providers.upcloud.endpoint',
    type: ADDRESS,
    description: 'UpCloud API address.',
    otherwise: 'https://api.upcloud.com/1.3',
    scope: 'engine',
    alias: 'UPCLOUD_API_URL',
  },
  {
    name: 'providers.upcloud.zone',
    type: {
      kind: 'text',
      form: { pattern: '^[a-z]{2}-[a-z]+\\d*$', words: 'a zone such as de-fra1, or a region such as eu-central' },
    },
    description: 'Default zone or region at UpCloud.',
    otherwise: 'de-fra1',
    scope: 'engine',
  },
  {
    name: 'providers.upcloud.pollMs',
    type: POLL,
    description: 'Longest polling interval at UpCloud.',
    unit: 'milliseconds',
    otherwise: '5000',
    scope: 'engine',
  },
];
