import { type CommandOutput, type Fact, fact, quote, unreachableError } from '../../sdk/index.js';
import type { RabbitmqConfig } from './rabbitmq-config.js';
import { CLUSTER, COOKIE, DATA, IDENTITY, NODE, NODE_NAME } from './rabbitmq-places.js';

/** What a host knows about its member. */
export interface FoundMember {
  /** Its node, and the cluster that it belongs to. `cluster` is absent until it has joined and has its replicas. */
  data?: { node: string; cluster?: string };
  /** The cluster that it serves in together with others, though it was cut off before it noted that. */
  joined?: string;
  /** Its broker runs, and a majority of the members with it. One that has paused itself does not serve. */
  serves: boolean;
  /** Nodes of all members, as this one knows them. Empty if it does not serve. */
  list: string[];
}

/** Facts of a member of a cluster. */
export type RabbitmqFacts = { member: Fact<FoundMember>; cookie: Fact<string> };

const NOTHING: FoundMember = { serves: false, list: [] };

/**
 * What is read as the user of rabbitmq, in one process: its node, its cluster, and the members that it knows. What is not
 * there is empty, but what cannot be read fails: a step would take its data for none.
 */
const READ_OWN = `set -euo pipefail
[ -e ${NODE} ] || { why=$(LC_ALL=C stat -- ${NODE} 2>&1) && exit 1; case "$why" in *'No such file or directory') exit 0 ;; *) exit 1 ;; esac; }
node=$(cat ${NODE})
cluster=
if [ -e ${CLUSTER} ]; then cluster=$(cat ${CLUSTER}); fi
echo "data $node $cluster"
for name in cluster_nodes.config nodes_running_at_shutdown; do
  echo "$name $(tr -d " \\n'" <"${DATA}/$node/$name")" 2>/dev/null || true
done`;

/**
 * Asks a host about its member. The page of its metrics is there only as long as its broker runs, and is a hundred times
 * cheaper than its own tools.
 */
export const memberFact = ({ metricsPort }: Pick<RabbitmqConfig, 'metricsPort'>): Fact<FoundMember> =>
  fact(
    // Before its package is installed, its user is not there.
    `user=0
getent passwd rabbitmq >/dev/null || user=$?
[ "$user" != 2 ] || exit 0
[ "$user" = 0 ] || exit 1
told=$(cd / && runuser -u rabbitmq -- bash -c ${quote(READ_OWN)}) || exit 1
[ -n "$told" ] || exit 0
printf '%s\\n' "$told"
systemctl is-active -q rabbitmq-server || exit 0
at=$(sed -n 's/^prometheus.tcp.ip = //p' /etc/rabbitmq/rabbitmq.conf)
[ "$at" != 0.0.0.0 ] || at=127.0.0.1
{ exec 3<>"/dev/tcp/$at/${metricsPort}"; } 2>/dev/null || exit 0
printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3
timeout 4 grep -am1 '^rabbitmq_identity_info' <&3 || true`,
    readMember,
    NOTHING,
  );

const LIST = /^\[([^[\]]*)\]/;

/** Reads a list of nodes as Erlang writes it, without its quotes. Empty if any has another form. */
function readNodes(text: string): string[] {
  const [, inside = ''] = LIST.exec(text) ?? [];
  const nodes = inside.split(',').filter(Boolean);
  return nodes.every((node) => new RegExp(`^${NODE_NAME}$`).test(node)) ? nodes : [];
}

/**
 * Reads the answer of a host. What has another form does not count: it comes from the network.
 *
 * @throws unreachableError if the host could not read it: that is not a member without data
 */
export function readMember({ stdout, exit }: Pick<CommandOutput, 'stdout' | 'exit'>): FoundMember {
  if (exit !== 0)
    throw unreachableError({
      code: 'look-broken',
      what: 'read the member of rabbitmq',
      why: `its data could not be read (status ${exit})`,
    });
  const lines = stdout.split('\n').map((line) => line.trim());
  const [, node, cluster] =
    lines.map((line) => new RegExp(`^data (${NODE_NAME})(?: (${IDENTITY}))?$`).exec(line)).find(Boolean) ?? [];
  if (!node) return NOTHING;
  const after = (word: string) => lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
  const list = readNodes(after('cluster_nodes.config').replace('{', ''));
  const running = readNodes(after('nodes_running_at_shutdown')).filter((one) => list.includes(one));
  const told = lines.find((line) => line.startsWith('rabbitmq_identity_info{')) ?? '';
  const isOwn = told.includes(`rabbitmq_node="${node}"`);
  const isOfCluster = cluster === undefined || told.includes(`rabbitmq_cluster_permanent_id="${cluster}"`);
  const serves = isOwn && isOfCluster && running.includes(node) && running.length * 2 > list.length;
  const joined = new RegExp(`permanent_id="(${IDENTITY})"`).exec(told)?.[1];
  return {
    data: { node, ...(cluster && { cluster }) },
    ...(serves && !cluster && list.length > 1 && joined && { joined }),
    ...{ serves, list: serves ? list : [] },
  };
}

const ASK_COOKIE = `getent passwd rabbitmq >/dev/null || exit 0
if [ "$(cd / && runuser -u rabbitmq -- cat ${COOKIE} 2>/dev/null)" = "$WANTED_COOKIE" ]; then echo same; fi`;

const isSame = ({ stdout }: CommandOutput): boolean => stdout.trim() === 'same';

/** Whether the cookie of a host is the wanted one. It is in no argument. */
export const cookieFact = (cookie: RabbitmqConfig['cookie']): Fact<boolean> =>
  fact(ASK_COOKIE, isSame, false, cookie && { WANTED_COOKIE: [cookie] });

/** Name of the secret that is the cookie of a member. Empty if its cookie is not the one of its configuration. */
export const cookieNameFact = (cookie: RabbitmqConfig['cookie']): Fact<string> =>
  fact(ASK_COOKIE, (output) => (cookie && isSame(output) ? cookie.$secret : ''), '', cookie && { WANTED_COOKIE: [cookie] });
