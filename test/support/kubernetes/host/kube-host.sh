#!/bin/sh
# Prepares a host of tests, which is a container, for a kubelet. The settings of the machine stay as they are. The local
# provider gives the rights that pods need, with its setting `nestedContainers`.
set -eu

# The kubelet reads messages of the kernel about killed processes, and ends if the device is missing.
[ -e /dev/kmsg ] || ln -s /dev/null /dev/kmsg

# The kubelet sets these values, which belong to the whole machine, and ends if it may not. A mounted file shows them as set.
pretend() { # SETTING VALUE
  file=/proc/sys/$1
  [ "$(cat "$file")" = "$2" ] && return
  shown=/run/kube-host/$(echo "$1" | tr / .)
  mkdir -p /run/kube-host
  echo "$2" >"$shown"
  mount --bind "$shown" "$file"
}
pretend vm/overcommit_memory 1
pretend vm/panic_on_oom 0
pretend kernel/panic 10
pretend kernel/panic_on_oops 1
pretend kernel/keys/root_maxkeys 1000000
pretend kernel/keys/root_maxbytes 25000000

# Settings of the network belong to the container. kube-proxy and flannel write them.
mountpoint -q /proc/sys/net || mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net

# Pods must see what is mounted later.
mount --make-rshared /

# Pods get control groups beside those of the engine, for each container its own. Below the engine's group, a privileged pod
# could not get all devices. removeKubeGroups removes them from the machine.
id=$(sed -n 's#.*docker[/-]\([0-9a-f]\{12\}\).*#\1#p' /proc/1/cgroup | head -n 1)
[ -n "$id" ] || {
  echo 'kube-host: cannot find the id of this container in /proc/1/cgroup' >&2
  exit 1
}
group=kube-$id
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p "/sys/fs/cgroup/$group"
else
  for controller in /sys/fs/cgroup/*/; do
    case $controller in */unified/) continue ;; esac
    mkdir -p "$controller$group"
  done
  for setting in cpus mems; do
    cat /sys/fs/cgroup/cpuset/cpuset.$setting >"/sys/fs/cgroup/cpuset/$group/cpuset.$setting"
  done
fi
echo "KUBELET_EXTRA_ARGS=--cgroup-root=/$group" >/etc/default/kubelet

# Packets to services and pods must not leave the network of the host. Before kube-proxy has written its rules, they would go to
# the default gateway, and another machine could answer as the apiserver.
nft -f - <<'RULES'
add table inet kube-host
delete table inet kube-host
table inet kube-host {
  chain leaves {
    type filter hook postrouting priority 0; policy accept;
    oifname "eth0" ip daddr { 10.96.0.0/12, 10.244.0.0/16 } counter drop
  }
}
RULES
