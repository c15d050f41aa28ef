#!/bin/sh
# Makes images of the programs in a cache, for `ctr -n k8s.io images import` and for the registry of tests. build.sh calls it.
#
#   images.sh VERSION CACHE FOLDER
#
# Each image has the name that kubeadm or flannel gives it, and `k8s.local/NAME:TAG`, for kubeadm's `imageRepository`.
set -eu
cd "$(dirname "$0")"
version=$1 bin=$2/bin folder=$3
flannel=$(cd addons && go list -m -f '{{.Dir}}' github.com/flannel-io/flannel)

# Returns the vendor's name of an image: kubeadm's list, and flannel's manifest, are the sources of the tags.
name_of() { # NAME
  case $1 in
  flannel*) sed -n "s#^ *image: \(.*/$1:[^ ]*\)\$#\1#p" "$flannel/Documentation/kube-flannel.yml" | head -n 1 ;;
  hello) echo k8s.local/hello:1 ;;
  *) "$bin/kubeadm" config images list --kubernetes-version "v$version" | grep "/$1:" ;;
  esac
}

# Makes an image of files, each with its place in it.
image() { # NAME ENTRYPOINT FILE:PLACE...
  name=$1 entrypoint=$2 vendor=$(name_of "$1")
  shift 2
  [ "$name" = hello ] || set -- -name "k8s.local/${vendor##*/}" "$@"
  "$bin/mkimage" -o "$folder/$name.tar" -entrypoint "$entrypoint" -name "$vendor" "$@"
}

# Ends the call if a program is not of the version that its image's tag promises.
expect() { # NAME VERSION
  vendor=$(name_of "$1")
  case ${vendor##*:} in
  "$2" | "v$2" | "$2"-*) ;;
  *)
    echo "images.sh: $1 is $2, and its image would be ${vendor##*/}" >&2
    exit 1
    ;;
  esac
}
expect etcd "$("$bin/etcd" --version | sed -n 's/^etcd Version: //p')"
expect coredns "$("$bin/coredns" -version | sed -n 's/^CoreDNS-//p')"
expect flannel "$("$bin/flanneld" --version 2>&1 | sed 's/^v//')"

# Programs that write rules, with their libraries, and a `cp`: from Debian's packages, in a container of a test host's image.
hosts=$(docker images --format '{{.Repository}}:{{.Tag}}' provisioning-host | grep -E ':bookworm-[0-9]+$' | sort -V | tail -n 1)
[ -n "$hosts" ] || {
  echo 'images.sh: there is no image of test hosts: npx tsx test/support/prepare-hosts-main.ts makes it' >&2
  exit 1
}
rules=$folder/rules
mkdir "$rules"
docker run --rm "$hosts" sh -ec '
  { apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nftables iptables busybox-static; } >&2
  cd /
  tar -ch bin/busybox usr/sbin/nft usr/sbin/xtables-nft-multi usr/lib/*/xtables \
    $(ldd usr/sbin/nft usr/sbin/xtables-nft-multi usr/lib/*/xtables/*.so | grep -o "[[:space:]]/lib[^ ]*" | sort -u)
' >"$rules.tar" 2>"$rules.log" || {
  cat "$rules.log" >&2
  exit 1
}
tar -x -C "$rules" -f "$rules.tar"
mv "$rules/bin/busybox" "$folder/busybox"
for command in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
  ln -s xtables-nft-multi "$rules/usr/sbin/$command"
done

image pause /pause "$bin/pause:/pause"
for name in kube-apiserver kube-controller-manager kube-scheduler; do
  image $name /usr/local/bin/$name "$bin/$name:/usr/local/bin/$name"
done
image kube-proxy /usr/local/bin/kube-proxy "$rules:/" "$bin/kube-proxy:/usr/local/bin/kube-proxy"
image etcd /usr/local/bin/etcd "$bin/etcd:/usr/local/bin/etcd" "$bin/etcdctl:/usr/local/bin/etcdctl"
image coredns /coredns "$bin/coredns:/coredns"
image flannel /opt/bin/flanneld "$rules:/" "$bin/flanneld:/opt/bin/flanneld" "$bin/install-conf:/opt/bin/install-conf"
# flannel's manifest copies the plugin out of this image.
image flannel-cni-plugin '' "$bin/flannel:/flannel" "$folder/busybox:/bin/cp"
image hello /hello "$bin/hello:/hello"
cp "$flannel/Documentation/kube-flannel.yml" "$folder/"
rm -rf "$rules" "$rules.tar" "$rules.log" "$folder/busybox"
