import type { Key } from '../registry.js';
import type { ValueType } from '../value-types.js';

const ADDRESS: ValueType = {
  kind: 'text',
  form: { pattern: '^https?://[^\\s/@]+(/\\S*)?$', words: 'an address such as https://api.example.com/v1, without a password' },
};
const POLL: ValueType = { kind: 'number', min: 5, max: 600_000 };

/**
 * Providers as the worker connects to them. Only this machine says them: credentials go to these
 * addresses. The last part of a name is a field of the provider's configuration.
 */
export const PROVIDER_KEYS: readonly Key[] = [
  {
    name: 'providers.aws.endpoint',
    type: ADDRESS,
    description: 'Address of the API of EC2.',
    otherwise: 'AWS_ENDPOINT_URL, or that of the region',
    scope: 'engine',
    alias: 'AWS_ENDPOINT_URL_EC2',
  },
  {
    name: 'providers.aws.region',
    type: { kind: 'text', form: { pattern: '^[a-z]{2}(-[a-z]+)+-\\d+$', words: 'a region such as eu-central-1' } },
    description: 'Where servers of AWS without a zone go.',
    otherwise: 'AWS_DEFAULT_REGION, or the region of the profile',
    scope: 'engine',
    alias: 'AWS_REGION',
  },
  {
    name: 'providers.aws.pollMs',
    type: POLL,
    description: 'How often AWS is asked while something is waited for.',
    unit: 'milliseconds',
    otherwise: '3000',
    scope: 'engine',
  },
  {
    name: 'providers.hetzner.endpoint',
    type: ADDRESS,
    description: 'Address of the API of Hetzner Cloud.',
    otherwise: 'https://api.hetzner.cloud/v1',
    scope: 'engine',
    alias: 'HCLOUD_ENDPOINT',
  },
  {
    name: 'providers.hetzner.pollMs',
    type: POLL,
    description: 'How soon what is under way at Hetzner is looked at again; later looks come less often.',
    unit: 'milliseconds',
    otherwise: '250',
    scope: 'engine',
  },
  {
    name: 'providers.local.image',
    type: { kind: 'text' },
    description: 'Docker image of a host of this machine, with systemd and sshd in it.',
    otherwise: 'one made here with debootstrap',
    scope: 'engine',
  },
  {
    name: 'providers.local.socketPath',
    type: { kind: 'text', form: { pattern: '^/', words: 'a path such as /run/user/1000/docker.sock' } },
    description: 'Socket of the Docker Engine.',
    otherwise: 'the one that DOCKER_HOST names, or /var/run/docker.sock',
    scope: 'engine',
  },
  {
    name: 'providers.upcloud.endpoint',
    type: ADDRESS,
    description: 'Address of the API of UpCloud.',
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
    description: 'Zone or region at UpCloud of what names none.',
    otherwise: 'de-fra1',
    scope: 'engine',
  },
  {
    name: 'providers.upcloud.pollMs',
    type: POLL,
    description: 'At most so long between two looks at what takes its time at UpCloud.',
    unit: 'milliseconds',
    otherwise: '5000',
    scope: 'engine',
  },
];
