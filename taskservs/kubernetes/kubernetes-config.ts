import * as z from 'zod';
import { artifactSource, hostName, port, rangeBounds, rangesOverlap } from '../../sdk/index.js';

const CLUSTER = /^[a-z][a-z0-9-]{0,39}$/;

/** A range of IPv4 addresses by its first address: `10.244.0.0/16`. */
const range = (preset: string, prefix: { least: number; most: number }) =>
  z
    .string()
    .refine((text) => rangeBounds(text) !== undefined, { error: 'write a network as "10.244.0.0/16"', abort: true })
    .refine((text) => Number(text.split('/')[1]) >= prefix.least && Number(text.split('/')[1]) <= prefix.most, {
      error: `the prefix length of this network is from ${prefix.least} to ${prefix.most}`,
    })
    .default(preset);

const image = () =>
  z.string().regex(/^[a-z0-9][A-Za-z0-9._:@/-]{0,254}$/, { error: 'write an image as "registry.example.org/flannel:v0.28.10"' });

/** Key of a label or a taint: an optional prefix that is a domain, and a name. */
const KEY = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;

/** A kubelet may give its node only these of Kubernetes' own labels. */
const OWN_LABEL = /^(?:[^/]+\.)?(?:kubernetes|k8s)\.io\//;
const FREE_LABEL = /^(?:[^/]+\.)?(?:node|kubelet)\.kubernetes\.io\//;

const key = () => z.string().regex(KEY, { error: 'write a key as "disk" or "example.org/disk"' });
const value = () =>
  z
    .string()
    .regex(VALUE, { error: 'a value has up to 63 letters, digits, dashes, dots and underscores, a letter or digit at its ends' });

const taint = z.strictObject({
  key: key().describe('Key, such as `dedicated`'),
  value: value().default('').describe('Value'),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).describe('Effect on pods that do not tolerate it'),
});

const binaries = z
  .strictObject({
    kubelet: artifactSource().describe('URL and SHA-256 of kubelet'),
    kubeadm: artifactSource().describe('URL and SHA-256 of kubeadm'),
    kubectl: artifactSource().describe('URL and SHA-256 of kubectl'),
  })
  .optional()
  .describe('Your own builds of the requested version, installed instead of the published ones');

/** Prefix lengths: each node gets a /24 of the pods' network, and a /12 is the largest network of services. */
const PODS = { least: 8, most: 22 };
const SERVICES = { least: 12, most: 24 };

export const kubernetesConfig = z
  .strictObject({
    cluster: z
      .string()
      .regex(CLUSTER, { error: 'the name of a cluster has lower-case letters, digits and dashes, and begins with a letter' })
      .default('kubernetes')
      .describe('Name of the cluster that all servers with this name form'),
    role: z
      .enum(['control-plane', 'worker'])
      .default('control-plane')
      .describe('Whether the server is a control plane with a member of etcd, or a worker'),
    workloads: z.boolean().default(false).describe('Whether a control plane also runs the pods of workloads; a worker always does'),
    port: port(6443).describe('TCP port of the API server on control planes'),
    balancerPort: port(6444).describe('TCP port on loopback by which each node reaches the control planes that serve'),
    podNetwork: range('10.244.0.0/16', PODS).describe('Network of pods; each node gets a /24'),
    serviceNetwork: range('10.96.0.0/12', SERVICES).describe('Network of services'),
    domain: hostName().default('cluster.local').describe('Domain of service names'),
    names: z
      .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/, { error: 'write a DNS name or an address' }))
      .max(20)
      .default([])
      .describe('Further names and addresses in the certificate of the API servers'),
    labels: z
      .record(key(), value())
      .refine((labels) => Object.keys(labels).every((one) => !OWN_LABEL.test(one) || FREE_LABEL.test(one)), {
        error: 'a node must not give itself labels of kubernetes.io, except node.kubernetes.io and kubelet.kubernetes.io',
      })
      .default({})
      .describe('Labels of the node'),
    taints: z.array(taint).max(20).default([]).describe('Taints of the node when it joins'),
    imageRepository: image().default('registry.k8s.io').describe('Image registry of Kubernetes'),
    network: z
      .enum(['flannel', 'none'])
      .default('flannel')
      .describe('Network of pods: flannel by VXLAN, or none if you install another one'),
    networkImage: image().default('ghcr.io/flannel-io/flannel:v0.28.10').describe('Image of flannel'),
    proxyMode: z.enum(['nftables', 'iptables']).default('nftables').describe('How kube-proxy routes the addresses of services'),
    binaries,
  })
  .refine(({ podNetwork, serviceNetwork }) => !rangesOverlap(podNetwork, serviceNetwork), {
    path: ['serviceNetwork'],
    error: 'serviceNetwork overlaps podNetwork',
  })
  .refine(({ port, balancerPort }) => port !== balancerPort, {
    path: ['balancerPort'],
    error: 'port and balancerPort must differ',
  })
  .refine(({ role, workloads }) => role === 'control-plane' || !workloads, {
    path: ['workloads'],
    error: 'a worker always runs workloads: remove this key',
  })
  .meta({
    examples: [{ workloads: true, labels: { disk: 'ssd' }, names: ['api.example.org'] }],
  });

export type KubernetesConfig = z.output<typeof kubernetesConfig>;

/** Names of the programs of a node. */
export const PROGRAMS = ['kubelet', 'kubeadm', 'kubectl'] as const;
export type Program = (typeof PROGRAMS)[number];
