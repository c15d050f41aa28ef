import { expect, test } from 'vitest';
import { kubernetes } from './kubernetes.js';
import { kubernetesConfig } from './kubernetes-config.js';

const problemsOf = (config: object) => kubernetesConfig.safeParse(config).error?.issues.map(({ message }) => message) ?? [];

test.each([
  [{ podNetwork: '10.96.0.0/16' }, 'overlaps podNetwork'],
  [{ podNetwork: '10.244.0.0/24' }, 'from 8 to 22'],
  [{ serviceNetwork: '10.0.0.0/8' }, 'from 12 to 24'],
  [{ podNetwork: 'fd00::/48' }, 'write a network'],
  [{ balancerPort: 6443 }, 'must differ'],
  [{ role: 'worker', workloads: true }, 'always runs workloads'],
  [{ labels: { 'node-role.kubernetes.io/db': '' } }, 'must not give itself labels'],
  [{ labels: { 'k8s.io/x': '' } }, 'must not give itself labels'],
  [{ labels: { 'a b': 'x' } }, 'Invalid key'],
  [{ labels: { disk: 'a b' } }, 'a value has'],
  [{ cluster: 'Main' }, 'lower-case'],
])('%j is refused', (config, message) => expect(problemsOf(config).join()).toContain(message));

test('labels of nodes, and of others, are taken', () => {
  expect(problemsOf({ labels: { 'node.kubernetes.io/disk': 'ssd', 'example.org/zone': 'a', disk: '' } })).toEqual([]);
});

const on = (server: string, config: object, networkRange?: string) => ({
  ...{ server, config: kubernetesConfig.parse(config), provider: 'local', network: 'default', beside: {}, everywhere: [] },
  ...(networkRange !== undefined && { networkRange }),
});
const disagree = (...servers: ReturnType<typeof on>[]) =>
  kubernetes.agree?.(servers).disagreements.map(({ server, at, message }) => `${server} ${at.join('.')}: ${message}`);

test('servers of a cluster agree, and a control plane comes first', () => {
  const worker = { role: 'worker' };
  expect(disagree(on('a', {}), on('w', worker))).toEqual([]);
  expect(disagree(on('w', worker), on('a', {}))).toEqual(['w role: the first server of the cluster "kubernetes" is a worker']);
  expect(disagree(on('a', {}), on('b', { podNetwork: '10.42.0.0/16' }))).toEqual([
    'b podNetwork: podNetwork differs from that of "a" in the same cluster',
  ]);
  expect(disagree(on('a', {}), on('b', { cluster: 'other', podNetwork: '10.42.0.0/16' }))).toEqual([]);
  expect(disagree(on('a', {}, '10.100.0.0/16'))).toEqual([
    'a serviceNetwork: 10.96.0.0/12 overlaps the network of the servers, 10.100.0.0/16',
  ]);
});
