import { fingerprint } from '../../sdk/index.js';
import type { KubernetesConfig } from './kubernetes-config.js';

const NAMESPACE = 'kube-flannel';

/** TCP port of its health on loopback: its packets have the same one of UDP. */
const HEALTH = 8472;

const daemonSet = ({ networkImage, balancerPort }: Pick<KubernetesConfig, 'networkImage' | 'balancerPort'>, hash: string) => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-flannel-ds', namespace: NAMESPACE, annotations: { 'provisioning-hash': hash } },
  spec: {
    selector: { matchLabels: { app: 'flannel' } },
    template: {
      // Another configuration starts its pods again.
      metadata: { labels: { app: 'flannel' }, annotations: { 'provisioning-hash': hash } },
      spec: {
        hostNetwork: true,
        priorityClassName: 'system-node-critical',
        tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
        serviceAccountName: 'flannel',
        containers: [
          {
            name: 'kube-flannel',
            image: networkImage,
            command: ['/opt/bin/flanneld', '--ip-masq', '--kube-subnet-mgr', `--healthz-port=${HEALTH}`, '--healthz-ip=127.0.0.1'],
            readinessProbe: {
              httpGet: { host: '127.0.0.1', path: '/readyz', port: HEALTH },
              initialDelaySeconds: 2,
              periodSeconds: 5,
            },
            livenessProbe: {
              httpGet: { host: '127.0.0.1', path: '/healthz', port: HEALTH },
              initialDelaySeconds: 10,
              periodSeconds: 30,
            },
            resources: { requests: { cpu: '100m', memory: '50Mi' } },
            securityContext: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
            env: [
              // It needs no address of a service, which has no rules before kube-proxy runs.
              { name: 'KUBERNETES_SERVICE_HOST', value: '127.0.0.1' },
              { name: 'KUBERNETES_SERVICE_PORT', value: String(balancerPort) },
              { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
            ],
            volumeMounts: [
              { name: 'run', mountPath: '/run/flannel' },
              { name: 'config', mountPath: '/etc/kube-flannel' },
            ],
          },
        ],
        volumes: [
          { name: 'run', hostPath: { path: '/run/flannel', type: 'DirectoryOrCreate' } },
          { name: 'config', configMap: { name: 'kube-flannel-cfg' } },
        ],
      },
    },
  },
});

/** What makes flannel, without the hash of its own content. */
const objectsOf = (config: Pick<KubernetesConfig, 'networkImage' | 'balancerPort' | 'podNetwork'>, hash: string) => [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'flannel' },
    rules: [
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
    ],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'flannel' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'flannel' },
    subjects: [{ kind: 'ServiceAccount', name: 'flannel', namespace: NAMESPACE }],
  },
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'flannel', namespace: NAMESPACE } },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-flannel-cfg', namespace: NAMESPACE },
    data: {
      'net-conf.json': JSON.stringify({ Network: config.podNetwork, EnableNFTables: true, Backend: { Type: 'vxlan' } }),
    },
  },
  daemonSet(config, hash),
];

/** The manifest of flannel, and the hash that the cluster has of it once it is applied. */
export function flannelManifest(config: Pick<KubernetesConfig, 'networkImage' | 'balancerPort' | 'podNetwork'>): {
  content: string;
  hash: string;
} {
  const hash = fingerprint(objectsOf(config, ''));
  return { content: `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objectsOf(config, hash) }, null, 2)}\n`, hash };
}
