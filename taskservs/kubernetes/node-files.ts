import { hostPart, MANAGED_FILE_HEADER } from '../../sdk/index.js';
import { type Binary, programPath } from './binaries.js';
import type { FoundHost } from './kubernetes-ask.js';
import type { KubernetesConfig } from './kubernetes-config.js';
import { ETC, FILES } from './places.js';

/** The file of pods' name servers on a host that is a container: the engine's own is not there for pods. */
export const NESTED_RESOLV = '/run/kubernetes-nested/resolv.conf';

/** Variables that the preparation of a container writes for the kubelet. */
const NESTED_ENV = '/run/kubernetes-nested/kubelet.env';

/** A program on the path that runs the version of the node. */
export const wrapper = (binary: Binary): string => `#!/bin/sh
${MANAGED_FILE_HEADER}
exec ${programPath(binary)} "$@"
`;

export const kubeletUnit = (kubelet: Binary, nested: boolean): string => `${MANAGED_FILE_HEADER}
[Unit]
Description=kubelet, the agent of Kubernetes on this node
Wants=network-online.target
After=network-online.target containerd.service provisioning-kubernetes-guard.service provisioning-kubernetes-balancer.service
Requires=provisioning-kubernetes-guard.service${nested ? ' provisioning-kubernetes-nested.service\nAfter=provisioning-kubernetes-nested.service' : ''}

[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=${ETC}/bootstrap-kubelet.conf --kubeconfig=${ETC}/kubelet.conf"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-${NESTED_ENV}
ExecStart=${programPath(kubelet)} $KUBELET_KUBECONFIG_ARGS --config=/var/lib/kubelet/config.yaml --config-dir=${ETC}/kubelet.conf.d $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
Restart=always
RestartSec=3

[Install]
WantedBy=multi-user.target
`;

/** Settings of this node's kubelet, over those of the cluster. The driver of control groups is that of containerd. */
export const kubeletSettings = ({ nested, unified, systemd }: FoundHost): string =>
  `${JSON.stringify(
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      cgroupDriver: systemd ? 'systemd' : 'cgroupfs',
      ...(!unified && { failCgroupV1: false }),
      ...(nested && {
        failSwapOn: false,
        resolvConf: NESTED_RESOLV,
        // The disk is the machine's: a full one would make each kubelet delete images.
        imageGCHighThresholdPercent: 100,
        evictionHard: { 'nodefs.available': '0%', 'nodefs.inodesFree': '0%', 'imagefs.available': '0%' },
      }),
    },
    null,
    2,
  )}\n`;

/** By which each node reaches the control planes that are ready: the loss of one is not noticed. */
export const balancerConfig = (
  { port, balancerPort }: Pick<KubernetesConfig, 'port' | 'balancerPort'>,
  planes: readonly { server: string; address: string; port: number }[],
): string => `${MANAGED_FILE_HEADER}
global
  user haproxy
  group haproxy

defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h

listen control-planes
  bind 127.0.0.1:${balancerPort}
  balance leastconn
  option httpchk GET /readyz
  http-check expect status 200
  default-server check check-ssl verify none inter 2s fall 2 rise 1 on-marked-down shutdown-sessions init-addr libc,none
${planes.map(({ server, address, port: at }) => `  server ${server} ${hostPart(address)}:${at ?? port}\n`).join('')}`;

export const BALANCER_UNIT = `${MANAGED_FILE_HEADER}
[Unit]
Description=Balancer of the control planes of Kubernetes, for this node
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
ExecStart=/usr/sbin/haproxy -Ws -f ${FILES.balancer} -p /run/kubernetes-balancer.pid
ExecReload=/usr/sbin/haproxy -c -q -f ${FILES.balancer}
ExecReload=/bin/kill -USR2 $MAINPID
KillMode=mixed
SuccessExitStatus=143
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
`;

/**
 * What is for a service or a pod never leaves the host as such, as it would before kube-proxy and the network have their
 * rules: whoever answered there would be taken for the service. An own network may route pods, so only flannel's are in it.
 */
export const guardRules = ({ podNetwork, serviceNetwork, network }: KubernetesConfig): string => `${MANAGED_FILE_HEADER}
add table inet kubernetes-guard
delete table inet kubernetes-guard
table inet kubernetes-guard {
  chain leaves {
    type filter hook postrouting priority 0; policy accept;
    ip daddr { ${[serviceNetwork, ...(network === 'flannel' ? [podNetwork] : [])].join(', ')} } oifname != { "lo", "cni0", "flannel.1" } oifname != "veth*" counter drop
  }
}
`;

export const GUARD_UNIT = `${MANAGED_FILE_HEADER}
[Unit]
Description=Keeps packets for services and pods of Kubernetes on this node
After=nftables.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f ${FILES.guard}
ExecReload=/usr/sbin/nft -f ${FILES.guard}
ExecStop=-/usr/sbin/nft delete table inet kubernetes-guard

[Install]
WantedBy=multi-user.target
`;

export const SYSCTL = `${MANAGED_FILE_HEADER}
net.ipv4.ip_forward = 1
net.bridge.bridge-nf-call-iptables = 1
`;

export const MODULES = `${MANAGED_FILE_HEADER}
br_netfilter
overlay
`;

/**
 * Connects the pods of this node by a bridge, in the subnet that flannel has for it. Debian's plugins lack flannel's own,
 * which does the same. The subnet is another one if the node joins again.
 */
export const BRIDGE = `#!/bin/sh
${MANAGED_FILE_HEADER}
set -eu
target=/etc/cni/net.d/10-provisioning.conflist
mkdir -p /etc/cni/net.d
while :; do
  if [ -r /run/flannel/subnet.env ]; then
    . /run/flannel/subnet.env
    cat >$target.tmp <<EOF
{ "cniVersion": "0.4.0", "name": "cbr0", "plugins": [
  { "type": "bridge", "bridge": "cni0", "mtu": $FLANNEL_MTU, "isGateway": true, "isDefaultGateway": true, "hairpinMode": true, "ipMasq": false,
    "ipam": { "type": "host-local", "ranges": [[{ "subnet": "\${FLANNEL_SUBNET%.*}.0/\${FLANNEL_SUBNET#*/}" }]], "routes": [{ "dst": "$FLANNEL_NETWORK" }] } },
  { "type": "portmap", "capabilities": { "portMappings": true } } ] }
EOF
    if cmp -s $target.tmp $target; then rm $target.tmp; else mv $target.tmp $target; fi
  fi
  sleep 2
done
`;

export const BRIDGE_UNIT = `${MANAGED_FILE_HEADER}
[Unit]
Description=Connects the pods of this node in the subnet that flannel has for it

[Service]
ExecStart=${FILES.bridge}
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
`;
