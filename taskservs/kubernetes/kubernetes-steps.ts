import { type GroupContext, NOTE_CHANGE, quote, type Step, sh, share, text, undoIfNoted } from '../../sdk/index.js';
import { JOIN_WORDS } from './kubeadm-config.js';
import type { FoundMember } from './kubernetes-ask.js';
import type { KubernetesConfig } from './kubernetes-config.js';
import { ADMIN, DEFINES_KUBE, ETC, ETCD, FILES, MARK, PKI } from './places.js';

/** A member of the group, with its answers. */
export type KubernetesMember = GroupContext<{ member: FoundMember }>['members'][number];

/** A node, and what it is to become. */
export interface Place {
  config: KubernetesConfig;
  server: string;
  /** The configuration of kubeadm for this step. */
  kubeadm: string;
}

/** Shares of the group: with `join` a control plane joins, with `nodeToken` a worker. */
export const shareName = ({ role }: Pick<KubernetesConfig, 'role'>): string => (role === 'worker' ? 'nodeToken' : 'join');

/**
 * Bash that defines `forget`, which takes from a host what kubeadm made. Data of etcd is kept beside, never deleted.
 */
export const DEFINES_FORGET = `forget() {
  systemctl stop kubelet 2>/dev/null || true
  if [ -e ${ETCD}/member ]; then
    kept=/var/lib/provisioning-etcd-$(date +%s)
    install -d -m 0700 "$kept"
    cp -a ${ETCD}/member "$kept/member"
  fi
  ${FILES.kubeadm} reset --force --cri-socket unix:///run/containerd/containerd.sock >/dev/null 2>&1 || true
  rm -rf ${ETCD}/member ${MARK} ${ETC}/*.conf ${ETC}/manifests ${PKI} /etc/cni/net.d/10-provisioning.conflist /run/flannel
  for link in cni0 flannel.1; do ip link delete "$link" 2>/dev/null || true; done
}`;

/** Bash that defines `began`: kubeadm left something, and no node came of it. */
const DEFINES_BEGAN = `began() { [ -e ${ETC}/kubelet.conf ] || [ -e ${ETC}/manifests/kube-apiserver.yaml ] || [ -e ${ETC}/bootstrap-kubelet.conf ] || [ -e ${PKI}/ca.crt ]; }`;

const around = ({ server }: Pick<Place, 'server'>): string => `ME=${quote(server)}
${DEFINES_KUBE}
${DEFINES_FORGET}
${DEFINES_BEGAN}
run=/run/kubernetes-join
trap 'rm -rf "$run"' EXIT
install -d -m 0700 "$run"
systemctl daemon-reload
systemctl enable -q kubelet`;

/** What a cluster keeps as it was when it was founded, in one word. */
export const joinSettings = ({ port, balancerPort, podNetwork, serviceNetwork, domain }: KubernetesConfig): string =>
  [port, balancerPort, podNetwork, serviceNetwork, domain].join();

const mark = (config: KubernetesConfig): string => `printf '%s %s %s\\n' ${config.role} "$ME" ${joinSettings(config)} >${MARK}`;

/** Founds the cluster. An attempt that was cut off begins again. The token that kubeadm makes is not used by the platform. */
export const initStep = ({ config, server, kubeadm }: Place): Step => ({
  title: `Found the Kubernetes cluster ${config.cluster}`,
  run: `${around({ server })}
[ ! -e ${MARK} ] || exit 0
${NOTE_CHANGE}
if began; then forget; fi
cat >"$run/init.yaml" <<'CONFIG'
${kubeadm}CONFIG
${FILES.kubeadm} init --config "$run/init.yaml" --skip-token-print --skip-certificate-key-print >"$run/log" 2>&1 || { tail -n 25 "$run/log"; exit 1; }
kube -n kube-system delete secret --field-selector type=bootstrap.kubernetes.io/token >/dev/null
${mark(config)}`,
  undo: undoIfNoted(`${DEFINES_FORGET}
forget`),
});

/**
 * Joins the cluster. The values of the share come by standard input, and are in a file of root only as long as kubeadm runs.
 */
export const joinStep = ({ config, server, kubeadm }: Place): Step => ({
  title: `Add ${server} to the Kubernetes cluster ${config.cluster} as ${config.role === 'worker' ? 'a worker' : 'a control plane'}`,
  run: `${around({ server })}
[ ! -e ${MARK} ] || exit 0
${NOTE_CHANGE}
if began; then forget; fi
read -r token authority key
umask 077
cat >"$run/join.yaml" <<'CONFIG'
${kubeadm}CONFIG
while IFS= read -r line; do
  line=\${line//${JOIN_WORDS.token}/$token}
  line=\${line//${JOIN_WORDS.authority}/$authority}
  printf '%s\\n' "\${line//${JOIN_WORDS.key}/$key}"
done <"$run/join.yaml" >"$run/filled.yaml"
umask 022
${FILES.kubeadm} join --config "$run/filled.yaml" >"$run/log" 2>&1 || {
  said=$(tail -n 25 "$run/log")
  printf '%s\\n' "\${said//$token/TOKEN}"
  exit 1
}
${mark(config)}`,
  stdin: text`${share(shareName(config))}\n`,
  undo: undoIfNoted(`${DEFINES_FORGET}
forget`),
});

/** Applies flannel's manifest, as the owner of its fields. */
export const networkStep = (): Step => ({
  title: 'Apply the network of pods',
  run: `${DEFINES_KUBE}
kube apply --server-side --force-conflicts --field-manager=provisioning -f ${FILES.flannel}`,
  undo: ':',
  keepsServing: true,
});

/** Seconds in which a node becomes ready. Images may have to be pulled. */
const READY_SECONDS = 600;

/** Waits until a node takes pods, and until a control plane serves: only then the next one may be worked on. */
export const waitStep = ({ config, server }: Pick<Place, 'config' | 'server'>): Step => ({
  title: `Wait until ${server} is ready in the Kubernetes cluster ${config.cluster}`,
  run: `export KUBECACHEDIR=/run/kubernetes-cache
ready() {
  ${config.role === 'worker' ? ':' : `curl -fsS -m 2 -o /dev/null --cacert ${PKI}/ca.crt https://127.0.0.1:${config.port}/readyz || return 1`}
  [ "$(timeout 10 ${FILES.kubectl} --kubeconfig=${ETC}/kubelet.conf get node ${quote(server)} -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')" = True ]
}
end=$((SECONDS + ${READY_SECONDS}))
until said=$(ready 2>&1); do
  if [ $SECONDS -ge $end ]; then
    printf '%s\\n' "$said" | tail -n 3
    timeout 10 ${FILES.kubectl} --kubeconfig=${ETC}/kubelet.conf get node ${quote(server)} -o 'jsonpath={.status.conditions[?(@.type=="Ready")].message}' || true
    journalctl -u kubelet -n 5 --no-pager -o cat || true
    exit 1
  fi
  sleep 1
done`,
  undo: ':',
  keepsServing: true,
});

/** Gives the own node its labels. Those that the definition has dropped stay. */
export const labelStep = (server: string, labels: Readonly<Record<string, string>>): Step => {
  const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return {
    title: `Label the node ${server}`,
    run: `export KUBECACHEDIR=/run/kubernetes-cache
${sh`${FILES.kubectl} --kubeconfig=${ETC}/kubelet.conf --request-timeout=60s label --overwrite node ${server} ${words}`}`,
    undo: ':',
    keepsServing: true,
  };
};

/** Seconds for the pods of a node that leaves. */
const DRAIN_SECONDS = 120;

/**
 * Takes a node out, on a control plane that serves. Its pods move first, if its kubelet still answers. It may have gone
 * for good: then its entries are removed only.
 */
export const leaveStep = (cluster: string, server: string): Step => ({
  title: `Remove ${server} from the Kubernetes cluster ${cluster}`,
  run: `ME=${quote(server)}
${DEFINES_KUBE}
etcd() { curl -fsS -m 5 --cacert ${PKI}/etcd/ca.crt --cert ${PKI}/apiserver-etcd-client.crt --key ${PKI}/apiserver-etcd-client.key "https://127.0.0.1:2379/v3/$1" -d "$2"; }
found=$(kube get node "$ME" --ignore-not-found -o 'jsonpath=there {.status.conditions[?(@.type=="Ready")].status}')
case "$found" in
  'there True')
    ${FILES.kubectl} drain "$ME" --ignore-daemonsets --delete-emptydir-data --force --timeout=${DRAIN_SECONDS}s >/dev/null ;;
esac
list=$(etcd cluster/member/list '{}')
# Its own member, and one that was added and has never started: it has no name.
ids=$(perl -e 'my ($list, $name) = @ARGV; for my $one ($list =~ /\\{"ID":.*?\\}/g) { my ($id) = $one =~ /"ID":"([0-9]+)"/; my ($its) = $one =~ /"name":"([^"]*)"/; print "$id\\n" if ($its // "") eq "" || $its eq $name }' "$list" "$ME")
for id in $ids; do
  etcd cluster/member/remove "{\\"ID\\":\\"$id\\"}" >/dev/null
done
kube delete node "$ME" --ignore-not-found`,
  irreversible: true,
});

/** Makes what a worker joins with: a token, and the hash of the authority by which it knows the cluster. */
const MAKE_TOKEN = `export KUBECONFIG=${ADMIN}
token=$(${FILES.kubeadm} token create --ttl 2h --description 'made by provisioning for a node that joins' 2>/dev/null)
authority=sha256:$(openssl x509 -pubkey -noout -in ${PKI}/ca.crt | openssl pkey -pubin -outform der | sha256sum | cut -d ' ' -f 1)`;

export const makeNodeToken = (): string => `${MAKE_TOKEN}
printf '%s %s\\n' "$token" "$authority"`;

/** The same for a control plane, with the key by which it reads the certificates that are put into the cluster for two hours. */
export const makeJoin = (): string => `${MAKE_TOKEN}
run=$(mktemp -d /run/kubernetes-share.XXXXXX)
trap 'rm -rf "$run"' EXIT
umask 077
key=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \\n')
printf '{"apiVersion":"kubeadm.k8s.io/v1beta4","kind":"InitConfiguration","certificateKey":"%s"}\\n---\\n{"apiVersion":"kubeadm.k8s.io/v1beta4","kind":"ClusterConfiguration","kubernetesVersion":"%s"}\\n' "$key" "$(${FILES.kubeadm} version -o short)" >"$run/key.yaml"
${FILES.kubeadm} init phase upload-certs --upload-certs --config "$run/key.yaml" >/dev/null 2>"$run/log" || { tail -n 5 "$run/log" >&2; exit 1; }
printf '%s %s %s\\n' "$token" "$authority" "$key"`;
