import { findKubernetes, whyNoKubernetes } from '../../support/kubernetes/kubernetes-cache.js';
import { serveKubernetes } from '../../support/kubernetes/serve-kubernetes.js';
import type { Proofs } from '../proof.js';

/** Part of the certificate that the server and this proof's client use. */
const etcdCertificate = (part: string) => ({ generate: 'certificate', ca: 'etcd', names: ['a', '127.0.0.1'], part });

/** Kubernetes that its modules are built to, and a registry with its images. */
async function serveCached(gateway: string) {
  const build = findKubernetes();
  if (!build) throw new Error(whyNoKubernetes());
  const server = await serveKubernetes([build], gateway);
  const values: Record<string, unknown> = { registry: server.registry };
  for (const program of ['kubelet', 'kubeadm', 'kubectl'] as const) values[program] = await server.artifact(build, program);
  const filled = (config: Record<string, unknown>): Record<string, unknown> =>
    JSON.parse(JSON.stringify(config), (_, value) =>
      typeof value === 'object' && value !== null && '$served' in value ? values[value.$served] : value,
    );
  return { mirrors: server.mirrors, filled, close: server.close };
}

const SERVED_REGISTRIES = ['registry.k8s.io', 'ghcr.io'].map((registry) => ({ registry, endpoints: [{ $served: 'registry' }] }));

const binaries = { kubelet: { $served: 'kubelet' }, kubeadm: { $served: 'kubeadm' }, kubectl: { $served: 'kubectl' } };

const KUBE = 'export KUBECONFIG=/etc/kubernetes/admin.conf';

/** Its hosts are containers. */
const CONTAINERD = {
  name: 'containerd',
  config: {
    ...{ systemdCgroup: false, snapshotter: 'native', sandboxImage: 'registry.k8s.io/pause:3.10.2' },
    mirrors: SERVED_REGISTRIES,
  },
};

const manifests = (replicas: number, more = '') => ({
  manifests: {
    proof: {
      content: `apiVersion: v1
kind: Namespace
metadata: { name: proof }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: proof }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "registry.k8s.io/pause:3.10.2" }] }
${more}`,
    },
  },
});

export const orchestration: Proofs = {
  'kubernetes-manifests': {
    nested: true,
    serve: serveCached,
    with: [CONTAINERD, { name: 'kubernetes', version: '1.36.3', config: { workloads: true, binaries } }],
    config: manifests(1, '---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: old, namespace: proof }\n'),
    works: `${KUBE}
kubectl -n proof get configmap old
kubectl -n proof get deployment web -o 'jsonpath={.status.availableReplicas}' | grep -cx 1`,
    changed: {
      config: manifests(2),
      works: `${KUBE}
if kubectl -n proof get configmap old; then exit 1; fi
kubectl -n proof get deployment web -o 'jsonpath={.status.availableReplicas}' | grep -cx 2`,
    },
    units: [],
    gone: `${KUBE}
if kubectl get namespace proof; then exit 1; fi`,
    standIn: {},
  },
  kubernetes: {
    version: '1.36.3',
    nested: true,
    serve: serveCached,
    with: [CONTAINERD],
    config: { workloads: true, binaries },
    works: `${KUBE}
kubectl -n kube-system rollout status deployment/coredns --timeout=180s
kubectl create configmap proof --from-literal=word=hello --dry-run=client -o yaml | kubectl apply -f -
[ "$(kubectl get configmap proof -o 'jsonpath={.data.word}')" = hello ]
kubectl get nodes -o 'jsonpath={.items[0].status.conditions[?(@.type=="Ready")].status}' | grep -cx True`,
    changed: {
      config: { workloads: true, binaries, labels: { disk: 'ssd' } },
      version: '1.36.3',
      works: `${KUBE}
kubectl get nodes -l disk=ssd -o name | grep -c ^node/`,
    },
    units: [
      'kubelet',
      'provisioning-kubernetes-balancer',
      'provisioning-kubernetes-guard',
      'provisioning-kubernetes-bridge',
      'provisioning-kubernetes-nested',
    ],
    gone: 'if [ -e /etc/kubernetes/admin.conf ]; then exit 1; fi; if pgrep -x kube-apiserver; then exit 1; fi',
    standIn: {},
  },
  etcd: {
    config: {
      tls: { certificate: etcdCertificate('certificate'), key: etcdCertificate('key'), authority: etcdCertificate('authority') },
    },
    works: `ask() { curl -fsS --cacert /etc/etcd/authority.pem "$@"; }
client='--cert /etc/etcd/certificate.pem --key /etc/etcd/key.pem'
url="https://$(hostname):2379/v3/kv"
ask $client "$url/put" -d "{\\"key\\":\\"$(printf proof | base64)\\",\\"value\\":\\"$(printf hello | base64)\\"}"
ask $client "$url/range" -d "{\\"key\\":\\"$(printf proof | base64)\\"}" | grep -c "$(printf hello | base64)"
if ask "$url/range" -d "{\\"key\\":\\"$(printf proof | base64)\\"}"; then exit 1; fi
curl -fsS "http://$(hostname):2381/metrics" | grep -c ^etcd_server_has_leader`,
    changed: {
      config: { quota: '1 GiB' },
      works: `[ "$(etcdctl get --print-value-only proof)" = hello ]
etcdctl put other 7; [ "$(etcdctl get --print-value-only other)" = 7 ]
curl -fsS "http://$(hostname):2381/metrics" | grep -c '^etcd_server_quota_backend_bytes 1.073741824e+09'`,
    },
    units: ['etcd'],
  },
};
