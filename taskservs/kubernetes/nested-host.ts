import { MANAGED_FILE_HEADER } from '../../sdk/index.js';
import { NESTED_RESOLV } from './node-files.js';
import { FILES } from './places.js';

/**
 * What a kubelet expects of a machine and a container does not have, such as a local host of this platform. It changes
 * nothing of the machine: settings that the kubelet would write are shown with the values that it wants.
 */
export const NESTED_SCRIPT = `#!/bin/sh
${MANAGED_FILE_HEADER}
set -eu
# The groups of pods are beside the engine's own: below those a privileged pod could not get all devices.
group=/kube-$(hostname)-$(cut -c 1-8 /etc/machine-id)
if [ "\${1-}" = stop ]; then
  for each in /sys/fs/cgroup/*"$group" "/sys/fs/cgroup$group"; do
    if [ -d "$each" ]; then find "$each" -depth -type d -exec rmdir {} + || true; fi
  done
  exit 0
fi
# The kubelet reads the kernel's log for out-of-memory kills, and fails without the device.
[ -e /dev/kmsg ] || ln -s /dev/null /dev/kmsg
mkdir -p /run/kubernetes-nested
set -- vm/overcommit_memory 1 vm/panic_on_oom 0 kernel/panic 10 kernel/panic_on_oops 1 kernel/keys/root_maxkeys 1000000 kernel/keys/root_maxbytes 25000000
while [ $# -gt 0 ]; do
  file=/proc/sys/$1 shown=/run/kubernetes-nested/$(echo "$1" | tr / .) value=$2
  shift 2
  [ "$(cat "$file")" != "$value" ] || continue
  echo "$value" >"$shown"
  mount --bind "$shown" "$file"
done
# Network settings are the container's own.
mountpoint -q /proc/sys/net || mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net
echo 1 >/proc/sys/net/ipv4/ip_forward
# Pods see mounts of volumes.
mount --make-rshared /
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p "/sys/fs/cgroup$group"
else
  for controller in /sys/fs/cgroup/*/; do
    case $controller in */unified/) continue ;; esac
    mkdir -p "$controller\${group#/}"
  done
  for setting in cpus mems; do
    cat "/sys/fs/cgroup/cpuset/cpuset.$setting" >"/sys/fs/cgroup/cpuset$group/cpuset.$setting"
  done
fi
echo "KUBELET_EXTRA_ARGS=--cgroup-root=$group" >/run/kubernetes-nested/kubelet.env
# Pods cannot reach the engine's name server on loopback: it notes the machine's.
servers=$(sed -n 's/^nameserver //p' /etc/resolv.conf | grep -v '^127\\.' || true)
[ -n "$servers" ] || servers=$(sed -n 's/^# ExtServers: \\[\\(.*\\)\\]/\\1/p' /etc/resolv.conf | tr -c '0-9.\\n' '\\n' | grep -E '^([0-9]+\\.){3}[0-9]+$' | grep -v '^127\\.' || true)
[ -n "$servers" ] || servers=$(ip -4 route show default | awk '{ print $3; exit }')
for server in $servers; do echo "nameserver $server"; done | head -n 3 >${NESTED_RESOLV}
`;

/** Before containerd, which takes the mounts as they are when it starts a pod. */
export const NESTED_UNIT = `${MANAGED_FILE_HEADER}
[Unit]
Description=Prepares this container as a node of Kubernetes
Before=containerd.service kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${FILES.nested}
ExecStop=${FILES.nested} stop

[Install]
WantedBy=multi-user.target
`;
