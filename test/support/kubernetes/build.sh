#!/bin/sh
# Builds Kubernetes of tests from its Go modules into the user's cache, and images of it:
#
#   sh test/support/kubernetes/build.sh [MINOR] [NAME...]
#
# A name is a program, such as `kubelet`, or `images`. Default: all of them. Each file is put in place as a whole once it is
# made. A file that was made of the same sources is kept. A call waits for another call that makes the same file.
# docs/contribute/testing.md has the seconds.
set -eu
cd "$(dirname "$0")"
minor=1.36
case ${1:-} in 1.*)
  minor=$1
  shift
  ;;
esac
version=$(sed -n 's/^.*k8s\.io\/kubernetes v//p' "$minor/go.mod")
cache="${PROVISIONING_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/provisioning}/kubernetes-$version"
# An apiserver needs the first ones.
programs='etcd etcdctl kubectl kube-apiserver kubeadm kubelet kube-controller-manager kube-scheduler kube-proxy
  pause hello mkimage coredns flanneld install-conf flannel'
# shellcheck disable=SC2086 # Each is a word.
[ $# -gt 0 ] || set -- $programs images helm
mkdir -p "$cache/bin" "$cache/images" "$cache/made" "$cache/locks" "$cache/part"
export CGO_ENABLED=0

# The sources have no version: a release gets it from the linker.
numbers="-X k8s.io/component-base/version.gitMajor=${minor%.*} -X k8s.io/component-base/version.gitMinor=${minor#*.}"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  numbers="$numbers -X $package.gitVersion=v$version -X $package.gitTreeState=clean"
done

# Returns the version of a module in a go.mod.
version_in() { # GO_MOD MODULE
  sed -n "s#^\t*\(require \)*$2 \(v[^ ]*\).*#\2#p" "$1"
}

# Returns the go.mod of CoreDNS and flannel: kubeadm of each minor version wants another CoreDNS.
addons() {
  if [ "$minor" = 1.36 ]; then echo go.mod; else echo "$minor.mod"; fi
}

# Sets how a program is built: the folder of its module, its package, its flags, and its sources.
describe() { # NAME
  module=$minor mod=go.mod linked='-s -w' own=
  case $1 in
  kube*) package=k8s.io/kubernetes/cmd/$1 linked="$linked $numbers" ;;
  etcd) package=go.etcd.io/etcd/server/v3 ;;
  etcdctl) package=go.etcd.io/etcd/etcdctl/v3 ;;
  coredns) module=addons mod=$(addons) package=./coredns own=addons/coredns/main.go ;;
  flanneld)
    module=addons package=./flanneld
    linked="$linked -X github.com/flannel-io/flannel/pkg/version.Version=$(version_in addons/go.mod github.com/flannel-io/flannel)"
    ;;
  install-conf) module=addons package=github.com/flannel-io/flannel/cmd/install_conf ;;
  flannel) module=cni package=github.com/containernetworking/plugins/plugins/meta/flannel ;;
  helm)
    module=helm package=helm.sh/helm/v4/cmd/helm
    linked="$linked -X helm.sh/helm/v4/internal/version.version=$(version_in helm/go.mod helm.sh/helm/v4)"
    linked="$linked -X helm.sh/helm/v4/internal/version.gitTreeState=clean"
    ;;
  pause | hello | mkimage) module=tools package=./$1 own=tools/$1/main.go ;;
  *)
    echo "build.sh: there is no $1" >&2
    exit 2
    ;;
  esac
  sums="$module/${mod%.mod}.sum"
  [ -e "$sums" ] || sums=
}

# Builds the program that was described.
compile() { # FILE
  overlay=
  if [ "$package" = ./flanneld ]; then
    # flannel's own main without two backends: udp needs C, and tencentvpc the client of a cloud.
    (cd addons && go mod download github.com/flannel-io/flannel)
    folder=$(cd addons && go list -m -f '{{.Dir}}' github.com/flannel-io/flannel)
    sed '/backend\/\(udp\|tencentvpc\)"/d' "$folder/main.go" >"$1.go"
    printf '{"Replace":{"%s/addons/flanneld/main.go":"%s.go"}}' "$PWD" "$1" >"$1.json"
    overlay=$1.json
  fi
  cd "$module"
  go build -mod=readonly -modfile="$mod" -trimpath ${overlay:+-overlay="$overlay"} -ldflags "$linked" -o "$1" "$package"
  cd ..
}

# Returns what a file is made of, in a few digits.
sources_of() { # NAME
  if [ "$1" = images ]; then
    # shellcheck disable=SC2086 # Each is a word.
    (cat images.sh && cd "$cache/made" && cat $programs) | sha256sum
  else
    describe "$1"
    # shellcheck disable=SC2086 # Two of them may be empty.
    { echo "$package $linked" && cat "$module/$mod" $sums $own; } | sha256sum
  fi | cut -c 1-16
}

is_made() { # NAME
  if [ "$1" = images ]; then [ -e "$cache/images/hello.tar" ]; else [ -x "$cache/bin/$1" ]; fi &&
    [ "$(cat "$cache/made/$1" 2>/dev/null)" = "$(sources_of "$1")" ]
}

# Makes a file while no other call does.
make() { # NAME
  start=$(date +%s) part=$cache/part/$1
  rm -rf "$part"
  mkdir "$part"
  if [ "$1" = images ]; then
    sh images.sh "$version" "$cache" "$part"
    mv "$part"/*.tar "$cache/images/"
    mv "$part"/*.yml "$cache/"
  else
    describe "$1"
    compile "$part/$1"
    mv "$part/$1" "$cache/bin/$1"
  fi
  rm -rf "$part"
  sources_of "$1" >"$cache/made/$1"
  echo "$(($(date +%s) - start)) s: $1"
}

for name; do
  # Images have all programs in them.
  # shellcheck disable=SC2086 # Each is a word.
  [ "$name" != images ] || sh build.sh "$minor" $programs
  if is_made "$name"; then continue; fi
  exec 9>"$cache/locks/$name"
  flock 9
  # Another call may have made it while this one waited. No program that outlives this call may hold the lock.
  if ! is_made "$name"; then make "$name" 9>&-; fi
  exec 9>&-
done
