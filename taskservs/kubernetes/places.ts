/** What kubeadm writes, and where. */
export const ETC = '/etc/kubernetes';
export const PKI = `${ETC}/pki`;
export const ADMIN = `${ETC}/admin.conf`;
export const KUBELET_CONF = `${ETC}/kubelet.conf`;

/** Written once a node has joined: its role and its name. Without it, what kubeadm left is of an attempt that was cut off. */
export const MARK = `${ETC}/provisioning-node`;

/** The data of etcd on a control plane, and where it is kept once the node is no member any more. */
export const ETCD = '/var/lib/etcd';

/** Files and scripts of the platform. */
export const FILES = {
  kubelet: '/etc/systemd/system/kubelet.service',
  settings: `${ETC}/kubelet.conf.d/10-provisioning.conf`,
  kubectl: '/usr/local/bin/kubectl',
  kubeadm: '/usr/local/bin/kubeadm',
  // kubeadm asks the one on the path for its version.
  kubeletProgram: '/usr/local/bin/kubelet',
  balancer: `${ETC}/provisioning-balancer.cfg`,
  balancerUnit: '/etc/systemd/system/provisioning-kubernetes-balancer.service',
  guard: `${ETC}/provisioning-guard.nft`,
  guardUnit: '/etc/systemd/system/provisioning-kubernetes-guard.service',
  bridge: '/usr/local/lib/provisioning/kubernetes-bridge',
  bridgeUnit: '/etc/systemd/system/provisioning-kubernetes-bridge.service',
  nested: '/usr/local/lib/provisioning/kubernetes-nested',
  nestedUnit: '/etc/systemd/system/provisioning-kubernetes-nested.service',
  sysctl: '/etc/sysctl.d/90-provisioning-kubernetes.conf',
  modules: '/etc/modules-load.d/provisioning-kubernetes.conf',
  flannel: `${ETC}/provisioning-flannel.json`,
} as const;

/**
 * Bash that defines `kube`, which asks the API as the administrator. A new API server on a busy machine was seen to need more
 * than five seconds for its first answers; after a minute without one, something is wrong.
 */
export const DEFINES_KUBE = `export KUBECONFIG=${ADMIN} KUBECACHEDIR=/run/kubernetes-cache
kube() { ${FILES.kubectl} --request-timeout=60s "$@"; }`;
