import { type CommandOutput, type Fact, fact, unreachableError } from '../../sdk/index.js';
import type { KubernetesConfig } from './kubernetes-config.js';
import { DEFINES_KUBE, FILES, KUBELET_CONF, MARK, PKI } from './places.js';

/** A member of the cluster's etcd. */
interface EtcdEntry {
  /** Decimal. */
  id: string;
  /** The server. Empty until it has started. */
  name: string;
  /** It gets the data and does not decide yet. */
  learner: boolean;
}

/** A node, as the API has it. */
interface NodeEntry {
  name: string;
  version: string;
  ready: boolean;
}

/** What a host knows about its part in the cluster. */
export interface FoundMember {
  /** Absent: it has not joined. */
  role?: 'control-plane' | 'worker';
  /** Identity of the cluster: of its authority, which each node has. */
  authority?: string;
  /** The settings with which it joined. */
  settings?: string;
  /** The kubelet runs. */
  runs: boolean;
  /** The rest is of control planes only. Version of its API server. */
  version?: string;
  /** Its id in etcd, in decimal. */
  id?: string;
  leads: boolean;
  /** A majority of etcd agrees with it on a read. */
  agrees: boolean;
  /** Its API server is ready. */
  ready: boolean;
  etcd: EtcdEntry[];
  nodes: NodeEntry[];
}

const NOTHING: FoundMember = { runs: false, leads: false, agrees: false, ready: false, etcd: [], nodes: [] };

/**
 * Asks a host about its part in the cluster. The first question without an answer is the last one: the platform waits for
 * eight seconds, and takes the host for silent then. Etcd is asked by its JSON API, with the certificate of the API server.
 */
export const memberFact = ({ port }: Pick<KubernetesConfig, 'port'>): Fact<FoundMember> =>
  fact(
    `[ -e ${MARK} ] || exit 0
mark=$(cat ${MARK}) || exit 1
role=\${mark%% *}
authority=$(cat ${PKI}/ca.crt) || exit 1
echo "role $role"
echo "settings \${mark##* }"
echo "authority $(sha256sum <<<"$authority" | cut -c 1-32)"
if systemctl is-active -q kubelet; then echo runs; fi
[ "$role" = control-plane ] || exit 0
version=$(sed -n 's/^ *image: .*kube-apiserver:v//p' /etc/kubernetes/manifests/kube-apiserver.yaml) || exit 1
echo "version $version"
etcd() { curl -fsS -m 2 --cacert ${PKI}/etcd/ca.crt --cert ${PKI}/apiserver-etcd-client.crt --key ${PKI}/apiserver-etcd-client.key "https://127.0.0.1:2379/v3/$1" -d "$2" 2>/dev/null; }
list=$(etcd cluster/member/list '{"linearizable":false}') || exit 0
echo "list $list"
status=$(etcd maintenance/status '{}') || exit 0
echo "status $status"
if etcd kv/range '{"key":"AA=="}' >/dev/null; then echo agrees; else exit 0; fi
if curl -fsS -m 2 -o /dev/null --cacert ${PKI}/ca.crt https://127.0.0.1:${port}/readyz 2>/dev/null; then echo ready; fi
${DEFINES_KUBE}
timeout 4 ${FILES.kubectl} get nodes -o 'jsonpath={range .items[*]}node {.metadata.name} {.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}' 2>/dev/null || true`,
    readMember,
    NOTHING,
  );

/** JSON of a host, of which nothing is assumed. */
function parseJson(text: string | undefined): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text ?? '{}');
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const number = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? value : undefined;

const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;

function readEtcd(list: Record<string, unknown>): EtcdEntry[] {
  const members: unknown[] = Array.isArray(list.members) ? list.members : [];
  return members.flatMap((one): EtcdEntry[] => {
    const { ID, name, isLearner } = (one ?? {}) as Record<string, unknown>;
    const id = number(ID);
    return id === undefined ? [] : [{ id, name: NAME.test(String(name)) ? String(name) : '', learner: isLearner === true }];
  });
}

/**
 * Reads the answer of a host. What has another form does not count: it comes from the network.
 *
 * @throws unreachableError if the host could not read its data: that is not a host without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      ...{ code: 'look-broken', what: 'read the member of kubernetes' },
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n');
  const after = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const role = (['control-plane', 'worker'] as const).find((one) => one === after('role'));
  if (!role) return NOTHING;
  const [list, status] = [parseJson(after('list')), parseJson(after('status'))];
  const id = number((status.header as { member_id?: unknown } | undefined)?.member_id);
  const version = /^[0-9.]{1,20}$/.exec(after('version') ?? '')?.[0];
  const settings = /^[0-9A-Za-z.,/-]{1,400}$/.exec(after('settings') ?? '')?.[0];
  const authority = /^[0-9a-f]{32}$/.exec(after('authority') ?? '')?.[0];
  return {
    role,
    ...(authority && { authority }),
    ...(settings && { settings }),
    runs: lines.includes('runs'),
    ...(version && { version }),
    ...(id && { id }),
    leads: id !== undefined && number(status.leader) === id,
    agrees: lines.includes('agrees'),
    ready: lines.includes('ready'),
    etcd: readEtcd(list),
    nodes: lines.flatMap((line): NodeEntry[] => {
      const [, name, one, ready] = /^node ([A-Za-z0-9.-]{1,253}) v([0-9.]{1,20})\S* (True|False|Unknown)?$/.exec(line) ?? [];
      return name && one ? [{ name, version: one, ready: ready === 'True' }] : [];
    }),
  };
}

/** What a host is, beside Kubernetes. */
export interface FoundHost {
  /** Swap is on. */
  swap: boolean;
  /** It is a container itself, and shares the kernel and its settings with others. */
  nested: boolean;
  /** Control groups of version 2. */
  unified: boolean;
  /** Systemd manages the control groups of containerd's containers. */
  systemd: boolean;
  /** It forwards packets. */
  forwards: boolean;
}

export const hostFact: Fact<FoundHost> = fact(
  `[ "$(wc -l </proc/swaps)" -le 1 ] || echo swap
if systemd-detect-virt -cq; then echo nested; fi
[ ! -e /sys/fs/cgroup/cgroup.controllers ] || echo unified
if grep -q '^SystemdCgroup = false' /etc/containerd/config.toml 2>/dev/null; then echo cgroupfs; fi
[ "$(cat /proc/sys/net/ipv4/ip_forward)" != 1 ] || echo forwards`,
  ({ stdout }) => {
    const lines = stdout.split('\n');
    return {
      swap: lines.includes('swap'),
      nested: lines.includes('nested'),
      unified: lines.includes('unified'),
      systemd: !lines.includes('cgroupfs'),
      forwards: lines.includes('forwards'),
    };
  },
  { swap: false, nested: false, unified: true, systemd: true, forwards: false },
);

/** The hash of flannel's manifest that the cluster has. Empty: it has none. Undefined: not known. */
export const networkFact: Fact<{ hash?: string }> = fact(
  `grep -q '^control-plane ' ${MARK} 2>/dev/null || exit 1
${DEFINES_KUBE}
timeout 4 ${FILES.kubectl} -n kube-flannel get daemonset kube-flannel-ds --ignore-not-found -o 'jsonpath={.metadata.annotations.provisioning-hash}' 2>/dev/null`,
  ({ stdout, exit }) => (exit === 0 ? { hash: stdout.trim() } : {}),
  {},
);

/** The labels of the own node. Undefined: not known. */
export const labelsFact: Fact<{ labels?: Record<string, string> }> = fact(
  `[ -e ${MARK} ] || exit 1
node=$(cut -d ' ' -f 2 ${MARK})
export KUBECACHEDIR=/run/kubernetes-cache
timeout 4 ${FILES.kubectl} --kubeconfig=${KUBELET_CONF} get node "$node" -o 'jsonpath={.metadata.labels}' 2>/dev/null`,
  ({ stdout, exit }) => {
    if (exit !== 0) return {};
    const entries = Object.entries(parseJson(stdout)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { labels: Object.fromEntries(entries) };
  },
  {},
);
