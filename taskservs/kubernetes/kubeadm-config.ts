import type { HostContext } from '../../sdk/index.js';
import type { KubernetesConfig } from './kubernetes-config.js';

const API = 'kubeadm.k8s.io/v1beta4';

const isAddress = (text: string | undefined): text is string => /^[0-9.]+$/.test(text ?? '');

/** Checks of kubeadm that fail in a container: its kernel has other modules than it looks for. */
const ignored = (nested: boolean): string[] => (nested ? ['SystemVerification', 'Mem', 'NumCPU'] : []);

/** How a node registers itself. */
const registration = (
  { labels, taints, role, workloads }: KubernetesConfig,
  { name, privateAddress }: HostContext,
  nested: boolean,
) => {
  const own = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  const reserved =
    role === 'control-plane' && !workloads ? [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] : [];
  return {
    name,
    criSocket: 'unix:///run/containerd/containerd.sock',
    imagePullPolicy: 'IfNotPresent',
    ignorePreflightErrors: ignored(nested),
    taints: [...reserved, ...taints.map(({ key, value, effect }) => ({ key, ...(value && { value }), effect }))],
    kubeletExtraArgs: [
      ...(own.length > 0 ? [{ name: 'node-labels', value: own.join(',') }] : []),
      ...(isAddress(privateAddress) ? [{ name: 'node-ip', value: privateAddress }] : []),
    ],
  };
};

const endpointOf = ({ port }: Pick<KubernetesConfig, 'port'>, { privateAddress }: HostContext) => ({
  ...(isAddress(privateAddress) && { advertiseAddress: privateAddress }),
  bindPort: port,
});

const documents = (all: readonly object[]): string => all.map((one) => `${JSON.stringify(one, null, 2)}\n`).join('---\n');

/** What kubeadm needs to found a cluster. */
export const initConfig = (config: KubernetesConfig, host: HostContext, version: string, nested: boolean): string =>
  documents([
    {
      apiVersion: API,
      kind: 'InitConfiguration',
      localAPIEndpoint: endpointOf(config, host),
      nodeRegistration: registration(config, host, nested),
    },
    {
      apiVersion: API,
      kind: 'ClusterConfiguration',
      kubernetesVersion: `v${version}`,
      clusterName: config.cluster,
      imageRepository: config.imageRepository,
      // Each node has a balancer there, so that no control plane is a single point.
      controlPlaneEndpoint: `127.0.0.1:${config.balancerPort}`,
      networking: { podSubnet: config.podNetwork, serviceSubnet: config.serviceNetwork, dnsDomain: config.domain },
      apiServer: { certSANs: ['127.0.0.1', 'localhost', ...config.names] },
    },
    { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' },
    {
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: config.proxyMode,
      // These settings are the machine's.
      ...(nested && { conntrack: { maxPerCore: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' } }),
    },
  ]);

/** Words in the configuration with which a node joins that its step replaces by the values of the share. */
export const JOIN_WORDS = { token: 'JOIN-TOKEN', authority: 'JOIN-AUTHORITY', key: 'JOIN-KEY' } as const;

/** What kubeadm needs to join a cluster. The secrets come by standard input. */
export const joinConfig = (config: KubernetesConfig, host: HostContext, nested: boolean): string =>
  documents([
    {
      apiVersion: API,
      kind: 'JoinConfiguration',
      discovery: {
        bootstrapToken: {
          token: JOIN_WORDS.token,
          apiServerEndpoint: `127.0.0.1:${config.balancerPort}`,
          caCertHashes: [JOIN_WORDS.authority],
        },
      },
      nodeRegistration: registration(config, host, nested),
      ...(config.role === 'control-plane' && {
        controlPlane: { localAPIEndpoint: endpointOf(config, host), certificateKey: JOIN_WORDS.key },
      }),
    },
  ]);
